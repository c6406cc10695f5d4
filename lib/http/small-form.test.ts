import { expect, test } from "vitest";
import { readFormIfWithinLimit } from "./small-form.ts";

const FORM = "locale=de&next=%2F";

/** A request whose body records whether anybody began to read it. */
function sent(headers: Record<string, string>) {
  let read = false;
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        read = true;
        controller.enqueue(new TextEncoder().encode(FORM));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const type = { "content-type": "application/x-www-form-urlencoded" };
  const init = { method: "POST", headers: { ...type, ...headers }, body, duplex: "half" };
  return { request: new Request("http://localhost/language", init as RequestInit), wasRead: () => read };
}

test("a form with a small Content-Length is read", async () => {
  const { request } = sent({ "content-length": String(FORM.length) });
  expect((await readFormIfWithinLimit(request, 100))?.get("locale")).toBe("de");
});

test.each<Record<string, string>>([
  {},
  { "content-length": "101" },
  { "content-length": "x" },
  { "transfer-encoding": "chunked" },
])("nothing is read of a body with %o", async (headers) => {
  const { request, wasRead } = sent(headers);
  expect(await readFormIfWithinLimit(request, 100)).toBeNull();
  expect(wasRead()).toBe(false);
});
