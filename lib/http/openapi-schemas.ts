import { z } from "zod";

/**
 * JSON schemas of the OpenAPI document, made from zod schemas. Those with a name are components, which others refer to.
 */

export type OpenApiJsonObject = Record<string, unknown>;

/** Where a body refuses members that it doesn't know; `belowTop`: in its nested objects only. */
type ClosedDepth = "everywhere" | "belowTop" | "nowhere";

type Component = {
  schema: OpenApiJsonObject;
  usedBy: "output" | "closedInput" | "openInput";
  /** Files that a form has in addition to the members of the schema. */
  files?: OpenApiJsonObject;
};

const COMPONENT_PATH = "#/components/schemas/";

export class OpenApiSchemaComponents {
  readonly #components = new Map<string, Component>();
  readonly #metadata: NamingRegistry;

  constructor(schemasByName: Readonly<Record<string, z.ZodType>>) {
    this.#metadata = new NamingRegistry(schemasByName);
  }

  /** Describes a response. It is open: members may be added to it without notice (docs/contract.md). */
  describeOutput(schema: z.ZodType): OpenApiJsonObject {
    return this.#describe(schema, "output");
  }

  /** Describes a body. Where it is closed, it refuses members that it doesn't know (contract 3.9). */
  describeInput(schema: z.ZodType, closed: ClosedDepth): OpenApiJsonObject {
    const described = this.#describe(schema, closed === "nowhere" ? "openInput" : "closedInput");
    if (closed === "nowhere") return described;
    if (closed === "belowTop") return closeNestedObjects(described);
    return "$ref" in described ? { ...described, unevaluatedProperties: false } : closeObjects(described);
  }

  /** Describes a body with files in addition to its members. A component has them at each of its uses. */
  describeInputWithFiles(
    files: OpenApiJsonObject,
    schema: z.ZodType,
    closed: ClosedDepth,
  ): OpenApiJsonObject {
    const described = this.describeInput(schema, closed);
    const component = this.#findComponent(described);
    if (component) component.files = files;
    return component ? described : addFiles(described, files);
  }

  /** Returns the schema behind a reference, or the schema itself. */
  resolve(schema: OpenApiJsonObject): OpenApiJsonObject {
    return this.#findComponent(schema)?.schema ?? schema;
  }

  #findComponent({ $ref }: OpenApiJsonObject): Component | undefined {
    return typeof $ref === "string" ? this.#components.get($ref.slice(COMPONENT_PATH.length)) : undefined;
  }

  /** Returns every component by name, in alphabetical order. */
  list(): OpenApiJsonObject {
    const entries = [...this.#components].map(([name, { schema, usedBy, files = {} }]) => {
      const whole = addFiles(schema, files);
      return [name, usedBy === "closedInput" ? closeNestedObjects(whole) : whole];
    });
    return Object.fromEntries(entries.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)));
  }

  #describe(schema: z.ZodType, usedBy: Component["usedBy"]): OpenApiJsonObject {
    const io = usedBy === "output" ? "output" : "input";
    const described = z.toJSONSchema(schema, {
      io,
      unrepresentable: "any",
      metadata: this.#metadata,
      override: keepDefault,
    });
    const { $schema: _, $defs = {}, ...root } = described as OpenApiJsonObject;
    for (const [name, definition] of Object.entries($defs as Record<string, OpenApiJsonObject>))
      this.#add(name, { schema: simplify(definition), usedBy });
    return simplify(root);
  }

  /**
   * Adds a component.
   * @throws Error when another schema has its name already, such as where requests and responses differ
   */
  #add(name: string, component: Component): void {
    const existing = this.#components.get(name);
    if (existing && JSON.stringify(existing.schema) !== JSON.stringify(component.schema))
      throw new Error(`${name} comes in and goes out in different forms`);
    const isOpen = existing !== undefined && existing.usedBy !== "closedInput";
    this.#components.set(name, isOpen ? existing : { ...existing, ...component });
  }
}

const addFiles = (schema: OpenApiJsonObject, files: OpenApiJsonObject): OpenApiJsonObject =>
  Object.keys(files).length === 0
    ? schema
    : { ...schema, properties: { ...(schema.properties as OpenApiJsonObject), ...files } };

/** The registry in which zod looks up the name of each schema that has one. */
class NamingRegistry extends z.core.$ZodRegistry<{ id?: string }> {
  readonly #names: Map<z.core.$ZodType, string>;

  constructor(schemasByName: Readonly<Record<string, z.ZodType>>) {
    super();
    this.#names = new Map(Object.entries(schemasByName).map(([name, schema]) => [schema, name]));
  }

  override get(schema: z.core.$ZodType): never {
    const id = this.#names.get(schema);
    return { ...z.globalRegistry.get(schema), ...(id === undefined ? {} : { id }) } as never;
  }
}

/** Adds a default that zod leaves out where the value is transformed: a missing value still counts as the default. */
function keepDefault({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodType;
  jsonSchema: OpenApiJsonObject;
}): void {
  const { def } = (zodSchema as z.core.$ZodTypes)._zod;
  if (def.type === "default" && isPlainValue(def.defaultValue)) jsonSchema.default = def.defaultValue;
}

const isPlainValue = (value: unknown): boolean =>
  value === null || ["string", "number", "boolean"].includes(typeof value);

/** Members of a schema that hold a schema, a list of schemas, or schemas by name. */
const SCHEMA_MEMBERS = ["items", "additionalProperties", "not", "propertyNames"];
const SCHEMA_LIST_MEMBERS = ["anyOf", "oneOf", "allOf", "prefixItems"];
const SCHEMA_MAP_MEMBERS = ["properties", "patternProperties"];

/** Applies a change to a schema and to all schemas in it, the innermost first. */
function mapSchemas(
  schema: OpenApiJsonObject,
  change: (schema: OpenApiJsonObject) => OpenApiJsonObject,
): OpenApiJsonObject {
  const mapValue = (value: unknown): unknown =>
    typeof value === "object" && value !== null ? mapSchemas(value as OpenApiJsonObject, change) : value;
  const entries = Object.entries(schema).map(([name, value]) => {
    if (SCHEMA_MEMBERS.includes(name)) return [name, mapValue(value)];
    if (SCHEMA_LIST_MEMBERS.includes(name)) return [name, (value as unknown[]).map(mapValue)];
    if (!SCHEMA_MAP_MEMBERS.includes(name)) return [name, value];
    return [
      name,
      Object.fromEntries(
        Object.entries(value as OpenApiJsonObject).map(([key, one]) => [key, mapValue(one)]),
      ),
    ];
  });
  return change(Object.fromEntries(entries));
}

const simplify = (schema: OpenApiJsonObject): OpenApiJsonObject => mapSchemas(schema, simplifyOne);

/**
 * Removes keywords that say nothing, and keywords for text where the type is another: a query parameter arrives as
 * text, and is described by the type to which it is parsed.
 */
function simplifyOne({ ...schema }: OpenApiJsonObject): OpenApiJsonObject {
  if (typeof schema.$ref === "string") schema.$ref = schema.$ref.replace("#/$defs/", COMPONENT_PATH);
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.type === "boolean") delete schema.enum;
  if (DESCRIBED_TEXT_TYPES.includes(schema.type)) for (const name of TEXT_MEMBERS) delete schema[name];
  const variants = new Set(
    ((schema.anyOf ?? []) as OpenApiJsonObject[]).map((variant) => JSON.stringify(variant)),
  );
  if (variants.size !== 1) return schema;
  const { anyOf, ...others } = schema;
  return { ...(anyOf as OpenApiJsonObject[])[0], ...others };
}

/** Types of values that arrive as text in a query or form, and what a schema says about text only. */
const DESCRIBED_TEXT_TYPES: unknown[] = ["boolean", "integer", "array"];
const TEXT_MEMBERS = ["pattern", "minLength", "maxLength"];

const closeObjects = (schema: OpenApiJsonObject): OpenApiJsonObject => mapSchemas(schema, closeObject);

const closeObject = (schema: OpenApiJsonObject): OpenApiJsonObject =>
  schema.properties && schema.additionalProperties === undefined
    ? { ...schema, additionalProperties: false }
    : schema;

/** Leaves the schema itself open, since a use of it may add members, as a form adds files. */
function closeNestedObjects(schema: OpenApiJsonObject): OpenApiJsonObject {
  const { additionalProperties, ...closed } = closeObjects(schema);
  return additionalProperties === false ? closed : { ...closed, additionalProperties };
}
