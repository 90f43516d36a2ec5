"""Validates the Kubernetes manifests that are named on the command line against the schemas of Kubernetes, and the compose file
after `--compose`, and prints the faults, one a line. Names that manifests refer to must exist in one of them."""

import sys

import kubernetes_validate
import yaml

VERSION = "1.30"
faults = []


def pod(document):
    return document["spec"]["template"]["spec"]


def check_references(document, known):
    """Config maps, secrets, ports of probes, volumes."""
    name = document["metadata"].get("name") or document["metadata"]["generateName"]
    volumes = {volume["name"] for volume in pod(document).get("volumes", [])}
    for container in pod(document)["containers"]:
        for source in container.get("envFrom", []):
            for kind, reference in source.items():
                if (kind, reference["name"]) not in known:
                    faults.append(f"{name}: {kind} {reference['name']} is in no manifest")
        ports = {port["name"] for port in container.get("ports", [])}
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            if probe in container and container[probe]["httpGet"]["port"] not in ports:
                faults.append(f"{name}: the port of {probe} is no port of the container")
        for mount in container.get("volumeMounts", []):
            if mount["name"] not in volumes:
                faults.append(f"{name}: {mount['name']} is no volume")


def check_update(document):
    """A rolling update must leave all replicas that serve, and a process needs its time to stop."""
    name, update = document["metadata"]["name"], document["spec"]["strategy"]["rollingUpdate"]
    if update["maxUnavailable"] != 0 or "readinessProbe" not in pod(document)["containers"][0]:
        faults.append(f"{name}: an update takes replicas away before new ones are ready")
    if pod(document)["terminationGracePeriodSeconds"] < 40:
        faults.append(f"{name}: a process has less than 40 s to stop")


def check_manifests(paths):
    documents = [document for path in paths for document in yaml.safe_load_all(open(path)) if document]
    known = {("configMapRef", one["metadata"]["name"]) for one in documents if one["kind"] == "ConfigMap"}
    known |= {("secretRef", one["metadata"]["name"]) for one in documents if one["kind"] == "Secret"}
    for document in documents:
        named = {**document, "metadata": {"name": "generated", **document["metadata"]}}
        try:
            kubernetes_validate.validate(named, VERSION, strict=True)
        except Exception as fault:
            faults.append(f"{document['kind']} {named['metadata']['name']}: {str(fault).splitlines()[0]}")
        if document["kind"] in ("Deployment", "Job"):
            check_references(document, known)
        if document["kind"] == "Deployment":
            check_update(document)
    return len(documents)


def check_compose(path):
    compose = yaml.safe_load(open(path))
    for name, service in compose["services"].items():
        for other in service.get("depends_on", {}):
            if "healthcheck" not in compose["services"][other]:
                faults.append(f"{name} waits for {other}, which has no health check")
        for volume in service.get("volumes", []):
            if volume.split(":")[0] not in compose["volumes"]:
                faults.append(f"{name}: {volume} is no volume")
        for port in service.get("ports", []):
            if not port.startswith("127.0.0.1:"):
                faults.append(f"{name}: {port} is open to the network")


arguments = sys.argv[1:]
at = arguments.index("--compose")
check_compose(arguments[at + 1])
if check_manifests(arguments[:at]) < 6:
    faults.append("manifests are missing")
print("\n".join(faults))
sys.exit(1 if faults else 0)
