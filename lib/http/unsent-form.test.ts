import { expect, test } from "vitest";
import { createUnsentFormPageResponse } from "./unsent-form.ts";

const request = new Request("https://heed.example/mailbox/add?upload=a%26b&x=<y>", {
  headers: { "content-security-policy": "style-src 'self' 'nonce-abc+/='" },
});
const form = {
  locale: "ar" as const,
  state: { ok: false, error: "Too <many>", fieldErrors: { body: 'is "missing"' } },
  problem: "Not sent",
  labels: { body: "Message" },
  values: { body: "\n</textarea><b>", ticket: `"x"`, appeal: "on" },
};

test("a form that isn't stored comes back with its texts, its ticket first, and nothing of it as markup", async () => {
  const response = createUnsentFormPageResponse(request, form);
  const html = await response.text();
  expect([response.status, response.headers.get("cache-control")]).toEqual([503, "no-store"]);
  expect(html).toContain(`<html lang="ar" dir="rtl">`);
  expect(html).toContain("<p>Too &lt;many&gt;</p><p>is &quot;missing&quot;</p>");
  expect(html).toContain(`action="/mailbox/add?upload=a%26b&amp;x=%3Cy%3E"`);
  expect(html).toContain(`<style nonce="abc+/=">`);
  const fields = html.slice(html.indexOf("<form"), html.indexOf("<button"));
  expect(fields.split("\n").slice(1).join("\n")).toBe(
    `<input type="hidden" name="ticket" value="&quot;x&quot;">
<label>Message<textarea name="body" rows="3">

&lt;/textarea&gt;&lt;b&gt;</textarea></label>
<input type="hidden" name="appeal" value="on">
`,
  );
});

test("a form over a limit has the status of the limit, and says when to send it again", () => {
  const refusal = { code: "RATE_LIMITED" as const, headers: { "Retry-After": "30" } };
  const { status, headers } = createUnsentFormPageResponse(request, form, refusal);
  expect([status, headers.get("retry-after")]).toEqual([429, "30"]);
});
