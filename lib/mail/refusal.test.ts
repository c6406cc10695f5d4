import { inspect } from "node:util";
import { expect, test } from "vitest";
import { MailRefusedError, toMailRefusedOrOriginalError } from "./refusal.ts";

const createSmtpFailure = (command: string, responseCode?: number) =>
  Object.assign(new Error(`${command} maya@example.org`), { code: "EENVELOPE", command, responseCode });

test.each([
  ["RCPT TO", 550, true],
  ["RCPT TO", 554, true],
  ["DATA", 552, true],
  ["RCPT TO", 451, false],
  ["DATA", 450, false],
])("%s answered with %i is about one mail, for good: %s", (command, responseCode, isPermanent) => {
  const refusal = toMailRefusedOrOriginalError(createSmtpFailure(command, responseCode), "maya@example.org");
  expect(refusal).toBeInstanceOf(MailRefusedError);
  expect(refusal).toMatchObject({ code: "EENVELOPE", command, responseCode, isPermanent });
});

test.each([
  ["CONN", undefined],
  ["CONN", 554],
  ["AUTH PLAIN", 535],
  ["MAIL FROM", 550],
  ["MAIL FROM", 451],
  ["RCPT TO", 421],
  ["RCPT TO", 530],
  ["DATA", 421],
  ["DATA", undefined],
])("%s answered with %s is about the server", (command, responseCode) => {
  const failure = createSmtpFailure(command, responseCode);
  expect(toMailRefusedOrOriginalError(failure, "maya@example.org")).toBe(failure);
});

test("a refusal shows its recipient to no log", () => {
  const refusal = toMailRefusedOrOriginalError(
    createSmtpFailure("RCPT TO", 550),
    "maya@example.org",
  ) as MailRefusedError;
  expect(refusal.recipient).toBe("maya@example.org");
  expect(inspect(refusal, { showHidden: true }) + JSON.stringify(refusal)).not.toContain("maya");
});
