"""Holds a JSON document to its schema in docs/json: the part of JSON Schema that those files use, and strictly: a member that no
schema names, or a word of the schema that is not known here, fails."""

import json

from _heap import SOURCE

FOLDER = SOURCE / "docs/json"
KNOWN = {"$schema", "$defs", "$ref", "title", "description", "type", "required", "properties", "additionalProperties", "items",
         "minItems", "maxItems", "minimum", "maximum", "enum", "const", "oneOf"}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "integer": int, "number": (int, float)}


def has_type(value, name):
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, TYPES[name])


def faults_of_object(value, schema, root, at):
    known, others = schema.get("properties", {}), schema.get("additionalProperties")
    faults = [f"{at}: no {name}" for name in schema.get("required", []) if name not in value]
    for name, member in value.items():
        if name in known or others is not None:
            faults += faults_of(member, known.get(name, others), root, f"{at}.{name}")
        else:
            faults.append(f"{at}: {name} is in no schema")
    return faults


def faults_of_array(value, schema, root, at):
    faults = []
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        faults.append(f"{at}: {len(value)} items")
    for i, item in enumerate(value):
        faults += faults_of(item, schema.get("items", {}), root, f"{at}[{i}]")
    return faults


def faults_of(value, schema, root, at="$"):
    """What is wrong with a value, as a list of sentences."""
    assert schema.keys() <= KNOWN, f"{at}: {schema.keys() - KNOWN} in the schema"
    if "$ref" in schema:
        return faults_of(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, at)
    if "oneOf" in schema:
        fits = [not faults_of(value, one, root, at) for one in schema["oneOf"]]
        return [] if sum(fits) == 1 else [f"{at}: fits {sum(fits)} of {len(fits)} schemas: {value!r:.80}"]
    if "enum" in schema and value not in schema["enum"] or "const" in schema and value != schema["const"]:
        return [f"{at}: {value!r}"]
    types = schema.get("type", list(TYPES))
    types = [types] if isinstance(types, str) else types
    if not any(has_type(value, name) for name in types):
        return [f"{at}: {value!r:.80} is no {' or '.join(types)}"]
    if isinstance(value, (int, float)) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        return [f"{at}: {value} is out of range"]
    if isinstance(value, dict) and ("properties" in schema or "additionalProperties" in schema):
        return faults_of_object(value, schema, root, at)
    return faults_of_array(value, schema, root, at) if isinstance(value, list) else []


def schema_of(name):
    """"heapflame.trend/1" -> the schema in trend-1.schema.json"""
    path = FOLDER / (name.removeprefix("heapflame.").replace("/", "-") + ".schema.json")
    assert path.is_file(), f"{name} has no {path}"
    return json.loads(path.read_text())


def held(document):
    """The document, if it is as its schema says."""
    schema = schema_of(document["schema"])
    faults = faults_of(document, schema, schema)
    assert not faults, "\n".join(faults[:10])
    return document
