import { describe, expect, it } from "vitest";
import { emailChange, emailChanged, passwordChanged, passwordReset } from "./messages.ts";

const url = "https://heed.example.org/reset-password?token=a&b=<c>";

describe("messages", () => {
  it("gives the link in text and, escaped, in HTML", () => {
    const { subject, text, html } = passwordReset({ name: "Maya Ortiz", url, minutes: 60 });
    expect(subject).toBe("Set a new password");
    expect(text).toBe(
      "Hello Maya Ortiz,\n\n" +
        "Someone, probably you, asked to set a new password for your Heed account. Open this link to choose one:\n\n" +
        `${url}\n\n` +
        "The link works once, for 60 minutes.\n\n" +
        "If it wasn't you, there is nothing to do: your password stays as it is.\n",
    );
    expect(html).toContain('<a href="https://heed.example.org/reset-password?token=a&amp;b=&lt;c&gt;">');
  });

  it("writes no markup that a value brought along", () => {
    const { html } = emailChange({ name: "Maya", url, minutes: 1440, newEmail: `"><img src=x>@example.org` });
    expect(html).not.toContain("<img");
    expect(html).toContain("24 hours");
  });

  it.each(["Maya Ortiz", "Zoë O’Neill-Smith", "J. R. Smith", "李 雷"])("greets %s", (name) => {
    expect(passwordChanged({ name }).text).toMatch(new RegExp(`^Hello ${name},`));
  });

  it.each([
    "Win at evil.example",
    "http://evil.example",
    "Maya\r\nBcc: x@y",
    "<b>Maya</b>",
    "a".repeat(61),
    "",
  ])("doesn't repeat the name %j", (name) => {
    for (const make of [passwordChanged, emailChanged]) expect(make({ name }).text).toMatch(/^Hello,\n/);
  });
});
