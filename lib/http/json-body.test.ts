import { describe, expect, it } from "vitest";
import { MAX_INCIDENT_DESCRIPTION_LENGTH } from "#lib/incidents/schema.ts";
import { AppError } from "#lib/operation/errors.ts";
import { MAX_JSON_BYTES, readJsonBody } from "#lib/http/json-body.ts";

const request = (
  body: BodyInit | null,
  headers: Record<string, string> = { "content-type": "application/json" },
) => new Request("http://localhost/api", { method: "POST", body, headers });

const refusal = async (body: BodyInit | null, headers?: Record<string, string>) =>
  readJsonBody(request(body, headers)).then(
    () => "taken",
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  );

describe("a JSON body", () => {
  it("is read", async () => {
    expect(await readJsonBody(request('{"a":{"b":1},"c":[{"b":2},{"b":3}]}'))).toEqual({
      a: { b: 1 },
      c: [{ b: 2 }, { b: 3 }],
    });
  });

  it.each(["", "{", '{"a":1,}', '\ufeff{"a":1}', "{'a':1}", '{"a":1,"a":2}', '{"x":{"a":1,"\\u0061":2}}'])(
    "%j is INVALID_JSON",
    async (body) => {
      expect(await refusal(body)).toBe("INVALID_JSON");
    },
  );

  it("that is no UTF-8 is INVALID_JSON", async () => {
    expect(await refusal(new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toBe("INVALID_JSON");
    expect(await refusal(new Uint8Array(Buffer.from('{"a":1}', "utf16le")))).toBe("INVALID_JSON");
  });

  it("has room for the longest text of a report, with each letter escaped", async () => {
    const escaped = "\\u043f".repeat(MAX_INCIDENT_DESCRIPTION_LENGTH);
    const read = await readJsonBody(
      request(`{"description":"${escaped}","parties":"${escaped.slice(0, 12_000)}"}`),
    );
    expect(read).toMatchObject({ description: "п".repeat(MAX_INCIDENT_DESCRIPTION_LENGTH) });
  });

  it("nested as deep as its size allows does no harm", async () => {
    const depth = Math.floor(MAX_JSON_BYTES / 2) - 10;
    expect(Array.isArray(await readJsonBody(request("[".repeat(depth) + "]".repeat(depth))))).toBe(true);
  });

  it("of 256 KiB is taken and one byte more is PAYLOAD_TOO_LARGE", async () => {
    const text = (bytes: number) => `"${"a".repeat(bytes - 2)}"`;
    expect(await refusal(text(MAX_JSON_BYTES))).toBe("taken");
    expect(await refusal(text(MAX_JSON_BYTES + 1))).toBe("PAYLOAD_TOO_LARGE");
  });

  it.each([
    ["text/plain"],
    ["application/x-www-form-urlencoded"],
    ["application/json; charset=utf-16"],
    ["application/jsonp"],
    [""],
  ])("of type %j is UNSUPPORTED_MEDIA_TYPE", async (type) => {
    expect(await refusal("{}", { "content-type": type })).toBe("UNSUPPORTED_MEDIA_TYPE");
  });

  it("that is compressed is UNSUPPORTED_MEDIA_TYPE", async () => {
    expect(await refusal("{}", { "content-type": "application/json", "content-encoding": "gzip" })).toBe(
      "UNSUPPORTED_MEDIA_TYPE",
    );
  });
});
