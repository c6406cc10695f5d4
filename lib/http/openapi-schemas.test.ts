import { describe, expect, test } from "vitest";
import { z } from "zod";
import { booleanQuery, pageNumberQuery } from "#lib/operation/fields.ts";
import { OpenApiSchemaComponents } from "./openapi-schemas.ts";

const Person = z.object({ name: z.string() });

describe("a schema with a name", () => {
  test("is a component, to which others refer", () => {
    const schemas = new OpenApiSchemaComponents({ TestPerson: Person });
    const reference = { $ref: "#/components/schemas/TestPerson" };
    expect(schemas.describeOutput(Person)).toEqual(reference);
    expect(schemas.describeOutput(z.object({ people: z.array(Person) }))).toMatchObject({
      properties: { people: { items: reference } },
    });
    expect(schemas.list()).toEqual({
      TestPerson: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    });
  });

  test("is refused when it comes in and goes out in different forms", () => {
    const withDefault = z.object({ name: z.string().default("x") });
    const schemas = new OpenApiSchemaComponents({ TestDefault: withDefault });
    schemas.describeInput(withDefault, "nowhere");
    expect(() => schemas.describeOutput(withDefault)).toThrow(
      "TestDefault comes in and goes out in different forms",
    );
  });
});

describe("a closed body", () => {
  const Body = z.object({ proof: z.object({ solution: z.string() }) });

  test("refuses other members, nested ones too", () => {
    const schemas = new OpenApiSchemaComponents({ TestBody: Body });
    expect(schemas.describeInput(Body, "everywhere")).toEqual({
      $ref: "#/components/schemas/TestBody",
      unevaluatedProperties: false,
    });
    expect(schemas.list()).toMatchObject({
      TestBody: { properties: { proof: { additionalProperties: false } } },
    });
  });

  test("leaves its component open where another operation takes the same body and more", () => {
    const schemas = new OpenApiSchemaComponents({ TestBody: Body });
    schemas.describeInput(Body, "everywhere");
    schemas.describeInput(Body, "nowhere");
    expect(JSON.stringify(schemas.list())).not.toContain("additionalProperties");
  });

  test("accepts files in addition to its members, with a name and without", () => {
    const files = { file: { type: "string" } };
    const schemas = new OpenApiSchemaComponents({ TestBody: Body });
    const form = schemas.describeInputWithFiles(files, z.object({ note: z.string() }), "everywhere");
    expect(Object.keys(form.properties as object)).toEqual(["note", "file"]);
    expect(form.additionalProperties).toBe(false);
    for (const closed of ["everywhere", "nowhere"] as const)
      expect(schemas.describeInputWithFiles(files, Body, closed)).toMatchObject({
        $ref: "#/components/schemas/TestBody",
      });
    expect(schemas.list()).toMatchObject({ TestBody: { properties: { proof: {}, file: files.file } } });
  });
});

test("text in a query is described as what it means, with its default", () => {
  const query = new OpenApiSchemaComponents({}).describeInput(
    z.object({
      page: pageNumberQuery,
      unread: booleanQuery.default(false),
      either: z.union([z.boolean(), booleanQuery]),
    }),
    "nowhere",
  );
  expect(query.properties).toEqual({
    page: { type: "integer", minimum: 1, default: 1 },
    unread: { type: "boolean", default: false },
    either: { type: "boolean" },
  });
});
