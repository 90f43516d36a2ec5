"""Makes a client with PyPI `openapi-python-client`, sends a template, a text and an SMS, and reads a page.

Arguments: the document, a folder for the client. Standard input: {"url", "key", "sends"}. Standard output: {"statuses", "names"}.
"""

import json
import subprocess
import sys

document, folder = sys.argv[1:]
subprocess.run(
    [sys.executable, "-m", "openapi_python_client", "generate", "--path", document, "--output-path", f"{folder}/made_client", "--meta", "none"],
    check=True,
    stdout=sys.stderr,
)
sys.path.insert(0, folder)

from made_client import AuthenticatedClient
from made_client.api.sending import send
from made_client.api.templates import list_templates
from made_client.models import UnifiedSmsSend, UnifiedWhatsappSend

given = json.load(sys.stdin)
client = AuthenticatedClient(
    given["url"], given["key"], prefix="", auth_header_name="Authorization", raise_on_unexpected_status=True
)
MODELS = {"WHATSAPP": UnifiedWhatsappSend, "SMS": UnifiedSmsSend}
answers = [send.sync(client=client, body=MODELS[body["channel"]].from_dict(body)) for body in given["sends"]]
page = list_templates.sync(client=client, page=0, size=3)
json.dump({"statuses": [answer.status.value for answer in answers], "names": [one.name for one in page.content]}, sys.stdout)
