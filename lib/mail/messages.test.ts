import { describe, expect, it } from "vitest";
import { NOTIFICATION_KINDS, type NotificationKind } from "#lib/notifications/schema.ts";
import { LOCALES } from "#lib/i18n/locales.ts";
import {
  composeAccountDeletedMail,
  composeDigestMail,
  composeEmailChangeConsentMail,
  composeEmailChangeRequestedMail,
  composeEmailChangedMail,
  composeInviteMail,
  composeNameChangedMail,
  composeNewDeviceMail,
  composeNewEmailConfirmationMail,
  composePasswordChangedMail,
  composePasswordResetMail,
  composeRecoveryCodeUsedMail,
  composeSecondFactorOffMail,
  composeSecondFactorOnMail,
  composeApiTokenCreatedMail,
  composeMultiReportNotificationMail,
  composeNotificationMail,
  composeWebhookDisabledMail,
} from "./messages.ts";

const url = "https://heed.example.org/reset-password?token=a&b=<c>";

const NOTICES = [
  composePasswordChangedMail,
  composeEmailChangedMail,
  composeNameChangedMail,
  composeEmailChangeRequestedMail,
  composeNewDeviceMail,
  composeSecondFactorOnMail,
  composeSecondFactorOffMail,
  composeRecoveryCodeUsedMail,
  composeApiTokenCreatedMail,
  composeAccountDeletedMail,
];

describe("messages", () => {
  it("gives the link in text and, escaped, in HTML", () => {
    const { subject, text, html } = composePasswordResetMail({ name: "Maya Ortiz", url, minutes: 60 });
    expect(subject).toBe("Set a new password");
    expect(text).toBe(
      "Hello Maya Ortiz,\n\n" +
        "Someone, probably you, asked to set a new password for your Heed account. To choose one, open this link:\n\n" +
        `${url}\n\n` +
        "This link works once and expires in 60 minutes.\n\n" +
        "If it wasn’t you, you don’t need to do anything. Your password stays the same.\n",
    );
    expect(html).toContain('<a href="https://heed.example.org/reset-password?token=a&amp;b=&lt;c&gt;">');
  });

  it("writes no markup that a value brought along", () => {
    const { html } = composeEmailChangeConsentMail({
      name: "Maya",
      url,
      minutes: 1440,
      newEmail: `"><img src=x>@example.org`,
    });
    expect(html).not.toContain("<img");
    expect(html).toContain("24 hours");
  });

  it.each(["Maya Ortiz", "Zoë O’Neill-Smith", "J. R. Smith", "李 雷"])("greets %s", (name) => {
    expect(composePasswordChangedMail({ name }).text).toMatch(new RegExp(`^Hello ${name},`));
  });

  it.each([
    "Win at evil.example",
    "http://evil.example",
    "Maya\r\nBcc: x@y",
    "<b>Maya</b>",
    "a".repeat(61),
    "",
  ])("doesn't repeat the name %j", (name) => {
    for (const make of NOTICES) expect(make({ name }).text).toMatch(/^Hello,\n/);
  });
});

describe("mails about one's own account", () => {
  it("hold no link, and say what to do when it wasn't oneself", () => {
    for (const make of NOTICES) {
      const { text, html } = make({ name: "Maya" });
      expect(text + html).not.toMatch(/https?:|href/);
      expect(text).toMatch(/tell the people who run this service|set a new password/);
    }
  });

  it("ask the new address to confirm a change that the owner requested", () => {
    const { subject, text } = composeNewEmailConfirmationMail({ name: "Maya", url, minutes: 1440 });
    expect(subject).toBe("Confirm your new email address");
    expect(text).toContain(`${url}\n\nThis link works once and expires in 24 hours.`);
  });
});

describe("the mail with an invite", () => {
  const compose = (place: string) => composeInviteMail({ name: "", place, url, days: 14 });

  it("names the place, says how long the link works, and nothing of reports", () => {
    const { subject, text } = compose("Riverside ’26");
    expect(subject).toBe("You’re invited");
    expect(text).toContain(
      `You’re invited to join Riverside ’26. To see what it’s about, and to accept, open this link:\n\n${url}`,
    );
    expect(text).toContain("once, for 14 days");
    expect(text).not.toMatch(/report|incident/i);
  });

  it("leaves out a name that could be a link", () => {
    expect(compose("Win at evil.example").text).toContain("invited to join an event or organization.");
  });
});

describe("mails about what is new", () => {
  const listUrl = "https://heed.example.org/notifications";

  it("name the place, link to it, and say how to change the settings", () => {
    const { subject, text } = composeNotificationMail({
      name: "Maya",
      kinds: ["incident.created"],
      place: "Riverside ’26 (online)",
      url,
      listUrl,
    });
    expect(subject).toBe("You have an update");
    expect(text).toBe(
      `Hello Maya,\n\nThere’s a new report at Riverside ’26 (online):\n\n${url}\n\n` +
        "To see all your notifications, choose what we email you about and how often, or turn emails off, go to:\n\n" +
        `${listUrl}\n`,
    );
  });

  it("name the report by its code name, if they are about one", () => {
    const input = { name: "Maya", kinds: ["incident.created" as const], place: "Riverside", url, listUrl };
    const { text } = composeNotificationMail({ ...input, codeName: "birch-heron" });
    expect(text).toContain("There’s a new report at Riverside (birch-heron):");
  });

  it("name the kinds of changes of one report, each once, the most urgent first", () => {
    const kinds = ["incident.state", "message.created", "incident.state", "incident.assigned"] as const;
    const { text } = composeNotificationMail({
      name: "Maya",
      kinds: [...kinds],
      place: "Riverside",
      url,
      listUrl,
    });
    expect(text).toContain(
      `There’s an update on a report at Riverside. It was assigned to you. Its status changed. There’s a new message.\n\n${url}\n`,
    );
    const twice = composeNotificationMail({
      name: "Maya",
      kinds: [kinds[0], kinds[0]],
      place: "Spring",
      url,
      listUrl,
    });
    expect(twice.text).toContain("The status of a report at Spring changed:\n");
  });

  it("counts changes of several reports by kind, without their content", () => {
    const kinds = [...Array<NotificationKind>(12).fill("incident.created"), "incident.escalated" as const];
    const { subject, text } = composeMultiReportNotificationMail({
      name: "Maya",
      kinds,
      place: "Riverside",
      url,
      listUrl,
    });
    expect(subject).toBe("You have an update");
    expect(text).toContain(
      `New at Riverside: 12 new reports and one report that has waited too long for a first response.\n\n${url}\n\nTo see all your`,
    );
  });

  it("say in the subject that something is urgent, and nothing else", () => {
    const mail = composeNotificationMail({
      name: "Maya",
      kinds: ["incident.urgent"],
      place: "Spring",
      url,
      listUrl,
    });
    expect(mail.subject).toBe("Urgent: your attention is needed now");
    expect(mail.text).toContain("An urgent report at Spring needs attention right now:\n");
  });

  it("distinguishes a report marked critical from an overdue one", () => {
    const to = { name: "Maya", place: "Spring", url, listUrl };
    expect(composeNotificationMail({ ...to, kinds: ["incident.critical"] }).text).toContain(
      "A report at Spring was marked critical",
    );
    expect(composeNotificationMail({ ...to, kinds: ["incident.escalated"] }).text).toContain(
      "has waited too long",
    );
  });

  it("counts by place and kind in a digest", () => {
    const kinds: NotificationKind[] = [
      "invite.changed",
      ...Array<NotificationKind>(10).fill("message.created"),
      "incident.created",
    ];
    const places = [
      { place: "Spring", kinds: ["note.created" as const] },
      { place: "Autumn", kinds },
    ];
    expect(composeDigestMail({ name: "Maya", places, listUrl }).text).toContain(
      "Spring: one update (one new team note)\n\nAutumn: 12 updates (one new report, 10 new messages, and one invite change)\n\n",
    );
  });

  it.each(LOCALES)("says every kind of thing in a digest, in %s", (locale) => {
    for (const kind of NOTIFICATION_KINDS)
      for (const times of [1, 2, 3, 11, 100]) {
        const places = [{ place: "Spring", kinds: Array<NotificationKind>(times).fill(kind) }];
        const { text } = composeDigestMail({ name: "Maya", locale, places, listUrl });
        expect(text).toMatch(/^Spring\s?: [^{}]+ \([^(){}]+\)$/m);
        expect(text).not.toContain(kind);
        const several = composeMultiReportNotificationMail({
          name: "Maya",
          locale,
          kinds: Array<NotificationKind>(times).fill(kind),
          place: "Spring",
          url,
          listUrl,
        });
        expect(several.text).toMatch(/^[^{}]+Spring[^{}]*: [^{}]+\.$/m);
      }
  });

  it.each(["Win at evil.example", "https://evil.example", "Spring\r\nBcc: x", "<b>Spring</b>"])(
    "doesn't repeat the place %j",
    (place) => {
      for (const { text } of [
        composeNotificationMail({ name: "", kinds: ["note.created"], place, url, listUrl }),
        composeWebhookDisabledMail({ name: "", place, days: 3, url }),
      ]) {
        expect(text).toContain("one of your events or organizations");
        expect(text).not.toContain(place);
      }
    },
  );
});

describe("mails in another language", () => {
  it("are written in it, and say so to the program that shows them", () => {
    const { subject, text, html } = composePasswordResetMail({
      name: "Maya",
      locale: "fr",
      url,
      minutes: 60,
    });
    expect(subject).toBe("Définir un nouveau mot de passe");
    expect(text).toMatch(/^Bonjour Maya,/);
    expect(html).toContain('<html lang="fr" dir="ltr">');
  });

  it("are written right to left in Arabic", () => {
    expect(composePasswordChangedMail({ name: "Maya", locale: "ar" }).html).toContain(
      '<html lang="ar" dir="rtl">',
    );
  });

  it.each([null, undefined, "tlh"])("are in English for %j", (locale) => {
    expect(composePasswordChangedMail({ name: "Maya", locale }).subject).toBe("Your password was changed");
  });

  it("name no place that could carry a link", () => {
    const { text } = composeNotificationMail({
      name: "",
      locale: "de",
      kinds: ["file.added"],
      place: "evil.example",
      url,
      listUrl: url,
    });
    expect(text).toContain("Es gibt eine neue Datei (eine Ihrer Veranstaltungen oder Organisationen):");
  });
});
