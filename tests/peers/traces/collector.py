"""A collector of traces that prints each span it takes as a line of JSON; the first line names its port.

Start: python3 collector.py PORT. It reads OTLP over HTTP with the messages of the OpenTelemetry project."""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as service
from opentelemetry.proto.trace.v1 import trace_pb2 as trace


def say(value):
    # In one piece, because several threads write.
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def attributes(pairs):
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in pairs}


def spans(request):
    for of_resource in request.resource_spans:
        resource = attributes(of_resource.resource.attributes)
        for of_scope in of_resource.scope_spans:
            for span in of_scope.spans:
                yield {
                    "resource": resource,
                    "scope": of_scope.scope.name,
                    "name": span.name,
                    "kind": trace.Span.SpanKind.Name(span.kind),
                    "trace": span.trace_id.hex(),
                    "span": span.span_id.hex(),
                    "parent": span.parent_span_id.hex(),
                    "links": [link.trace_id.hex() for link in span.links],
                    "attributes": attributes(span.attributes),
                    "failed": span.status.code == trace.Status.STATUS_CODE_ERROR,
                    "nanoseconds": span.end_time_unix_nano - span.start_time_unix_nano,
                }


class Collector(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        kind = self.headers["content-type"]
        if self.path != "/v1/traces" or kind != "application/x-protobuf":
            self.answer(404, b"")
            return
        for span in spans(service.ExportTraceServiceRequest.FromString(body)):
            say({**span, "authorization": self.headers["authorization"]})
        self.answer(200, service.ExportTraceServiceResponse().SerializeToString())

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("content-type", "application/x-protobuf")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Collector)
say({"port": server.server_address[1]})
server.serve_forever()
