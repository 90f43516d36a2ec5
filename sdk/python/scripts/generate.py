"""Writes the generated types from docs/openapi.json: `python scripts/generate.py [DOCUMENT] [FILE]`.

A schema with fields is a TypedDict, a closed set is a Literal, and any other schema is an alias.
"""

import json
import keyword
import sys
import textwrap
from pathlib import Path

HERE = Path(__file__).resolve().parent
TITLE = '"""The types of the API. `python scripts/generate.py` makes this file from docs/openapi.json."""'
SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


def class_name(schema):
    return "".join(word for word in schema.replace("_", " ").replace("-", " ").split(" "))


def expression(schema):
    """The annotation of a schema."""
    if "$ref" in schema:
        return f'"{class_name(schema["$ref"].rsplit("/", 1)[-1])}"'
    if "const" in schema:
        return f"Literal[{schema['const']!r}]"
    if "enum" in schema:
        return f"Literal[{', '.join(repr(value) for value in schema['enum'])}]"
    for choice in ("oneOf", "anyOf"):
        if choice in schema:
            return union(expression(one) for one in schema[choice])
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return union(expression({**schema, "type": kind}) for kind in kinds)
    if kinds == "string" and schema.get("format") == "binary":
        return "bytes"
    if kinds == "array":
        return f"list[{expression(schema.get('items', {}))}]"
    if kinds == "object":
        values = schema.get("additionalProperties")
        return f"dict[str, {expression(values)}]" if isinstance(values, dict) else "dict[str, Any]"
    return SCALARS.get(kinds, "Any")


def union(parts):
    unique = list(dict.fromkeys(parts))
    return unique[0] if len(unique) == 1 else f"Union[{', '.join(unique)}]"


def fields(schema, schemas):
    """The fields of an object and of its parts, and the names of the required ones."""
    found, required = {}, set()
    for part in schema.get("allOf", []):
        target = schemas[part["$ref"].rsplit("/", 1)[-1]] if "$ref" in part else part
        inner, needed = fields(target, schemas)
        found.update(inner)
        required |= needed
    found.update(schema.get("properties", {}))
    return found, required | set(schema.get("required", []))


def docstring(schema):
    said = schema.get("description", "").replace("\\", "\\\\").replace('"""', "'''").strip()
    return textwrap.indent("\n".join(textwrap.wrap(said, 110)), "    ").strip() if said else ""


def definition(name, schema, schemas):
    found, required = fields(schema, schemas)
    if not found:
        return f"{class_name(name)} = {expression(schema)}\n"
    lines = [f"class {class_name(name)}(TypedDict, total=False):"]
    if docstring(schema):
        lines += [f'    """{docstring(schema)}"""', ""]
    # A field whose name is no identifier cannot be written as an attribute.
    if any(not field.isidentifier() or keyword.iskeyword(field) for field in found):
        body = ", ".join(f"{field!r}: {annotation(field, one, required)}" for field, one in found.items())
        return f"{class_name(name)} = TypedDict({class_name(name)!r}, {{{body}}}, total=False)\n"
    lines += [f"    {field}: {annotation(field, one, required)}" for field, one in found.items()]
    return "\n".join(lines) + "\n"


def annotation(field, schema, required):
    return f"Required[{expression(schema)}]" if field in required else expression(schema)


def is_alias(schema, schemas):
    return not fields(schema, schemas)[0]


def order(schemas):
    """Aliases of other schemas come after those, because Python evaluates them at once."""
    plain = [name for name in schemas if not is_alias(schemas[name], schemas)]
    sets = [name for name in schemas if is_alias(schemas[name], schemas) and "$ref" not in json.dumps(schemas[name])]
    return sets + plain + [name for name in schemas if name not in plain and name not in sets]


def main():
    source = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "../../../docs/openapi.json"
    target = Path(sys.argv[2]) if len(sys.argv) > 2 else HERE / "../patchbay/schema.py"
    schemas = json.loads(source.read_text())["components"]["schemas"]
    head = [TITLE, "", "from typing import Any, Literal, Required, TypedDict, Union", ""]
    definitions = [definition(name, schemas[name], schemas) for name in order(schemas)]
    target.write_text("\n".join(head + definitions))


main()
