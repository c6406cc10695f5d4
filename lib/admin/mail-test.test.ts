import { expect, test } from "vitest";
import { classifyMailFailure } from "./mail-test.ts";

const failure = (facts: Record<string, unknown>, message = "x") => Object.assign(new Error(message), facts);

test.each([
  [{ code: "EAUTH", responseCode: 535 }, "login"],
  [{ code: "ENOAUTH" }, "login"],
  [{ code: "EENVELOPE", responseCode: 550, command: "MAIL FROM" }, "sender"],
  [{ code: "EENVELOPE", responseCode: 550, command: "RCPT TO" }, "recipient"],
  [{ code: "EENVELOPE", responseCode: 450, command: "RCPT TO" }, "later"],
  [{ code: "EMESSAGE", responseCode: 554, command: "DATA" }, "refused"],
  [{ code: "EMESSAGE", responseCode: 421, command: "DATA" }, "later"],
  [{ code: "ECONNECTION" }, "unreachable"],
  [{ code: "EDNS" }, "unreachable"],
  [{ code: "ETIMEDOUT" }, "unreachable"],
  [{ code: "ESOCKET" }, "unreachable"],
  [{ code: "ETLS" }, "tls"],
  [{ code: "EREQUIRETLS" }, "tls"],
  [{ code: "DEPTH_ZERO_SELF_SIGNED_CERT" }, "tls"],
  [{ code: "CERT_HAS_EXPIRED" }, "tls"],
  [{ code: "ESOCKET", cause: { code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" } }, "tls"],
  [{ code: "EACCES" }, "failed"],
  [{}, "failed"],
])("%j is %s", (facts, outcome) => {
  expect(classifyMailFailure(failure(facts))).toBe(outcome);
});

test("a bad certificate is recognized although the mail library reports a closed socket", () => {
  expect(classifyMailFailure(failure({ code: "ESOCKET" }, "self-signed certificate"))).toBe("tls");
});

test.each([null, undefined, "text", 5])("%j has no known reason", (thrown) => {
  expect(classifyMailFailure(thrown)).toBe("failed");
});
