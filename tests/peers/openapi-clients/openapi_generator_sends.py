"""Makes a Python client with OpenAPI Generator, sends a template, a text and an SMS, and reads a page.

Arguments: the document, a folder for the client. Standard input: {"url", "key", "sends"}. Standard output: {"statuses", "names"}.
"""

import json
import os
import sys

import openapi_generator_cli

document, folder = sys.argv[1:]
# The generator writes on standard output, which is for the result.
output = os.dup(1)
os.dup2(2, 1)
openapi_generator_cli.run(["generate", "-i", document, "-g", "python", "-o", folder]).check_returncode()
os.dup2(output, 1)
sys.path.insert(0, folder)

import openapi_client
from openapi_client.models.unified_send import UnifiedSend

given = json.load(sys.stdin)
configuration = openapi_client.Configuration(host=given["url"], api_key={"apiKey": given["key"]})
with openapi_client.ApiClient(configuration) as client:
    sending = openapi_client.SendingApi(client)
    answers = [sending.send(UnifiedSend.from_dict(body)) for body in given["sends"]]
    page = openapi_client.TemplatesApi(client).list_templates(page=0, size=3)
json.dump({"statuses": [answer.status for answer in answers], "names": [one.name for one in page.content]}, sys.stdout)
