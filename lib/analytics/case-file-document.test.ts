import { expect, it } from "vitest";
import { buildCaseFileDocument, type CaseFileContent } from "./case-file-document.ts";
import { CASE_FILE_PARTS } from "./schema.ts";

const AT = new Date("2026-03-14T14:02:11Z");

const row = (changes: Partial<CaseFileContent["history"]["rows"][number]>) => ({
  id: "1",
  action: "state",
  from: null,
  to: null,
  actor: { id: "ada", name: "Ada Nwosu" },
  objectId: null,
  there: true,
  body: null,
  edited: false,
  outcome: false,
  fromMailbox: false,
  updatedAt: null,
  createdAt: AT,
  ...changes,
});

const incident = {
  id: "3f2a91bc-0000-4000-8000-000000000000",
  codeName: "birch-heron",
  title: "Shouting at the desk",
  description: "He shouted at me.",
  state: "acknowledged",
  severity: null,
  reporter: null,
  reporterId: null,
  createdAt: "2026-03-14T14:00:00.000Z",
  incidentOn: "2026-03-13",
  incidentDayPart: "evening",
  resolution: "Settled.",
  summary: "A quarrel.",
  contactPhone: "555 0100",
  event: { name: "Signal Days" },
  relatedFiles: [
    {
      filename: "door.jpg",
      mimetype: "image/jpeg",
      size: 640_000,
      sha256: "ab12",
      original: { sha256: "cd34" },
    },
  ],
} as unknown as CaseFileContent["incident"];

function build(rows: readonly ReturnType<typeof row>[], parts = {}, locale: "en" | "fr" = "en") {
  const content = {
    incident,
    history: { rows, total: rows.length },
    conversations: [],
    conversationFiles: [],
  };
  return buildCaseFileDocument(content, {
    parts: { ...CASE_FILE_PARTS, ...parts },
    reader: "Omar Haddad",
    now: AT,
    format: { locale, timeZone: "UTC" },
  });
}

it("says what it is, for whom and from when, and no more of the report than its text and facts", () => {
  const { title, lead, foot, sections } = build([]);
  expect([title, ...lead, foot]).toEqual([
    "Case file",
    "Incident birch-heron · Signal Days",
    "In this file: Report · Timeline · List of files",
    "Confidential · 14 Mar 2026, 14:02 UTC · Omar Haddad",
  ]);
  expect(sections[0]?.facts).toContainEqual(["When it happened", "13 Mar 2026, Evening"]);
  expect(sections[0]?.facts).toContainEqual(["Reported", "14 Mar 2026, 14:00–14:15 UTC"]);
  expect(sections[0]?.texts).toEqual([{ about: "Report", text: "He shouted at me." }]);
  expect(JSON.stringify(sections)).not.toContain("555 0100");
});

it("describes changes as the page does, with times no finer than the page's", () => {
  const { sections } = build([
    row({ from: "submitted", to: "acknowledged" }),
    row({ action: "conversation.received", to: "message", actor: null }),
    row({ action: "withdrawn", actor: null, createdAt: new Date("2026-03-14T14:00:00Z") }),
    row({ action: "downloaded", to: "For the police" }),
    row({ action: "summary", from: null, to: "He is known." }),
  ]);
  expect(sections[1]?.texts).toEqual([
    { about: "14 Mar 2026, 14:02 UTC · Ada Nwosu", text: "Submitted > Acknowledged" },
    { about: "14 Mar 2026", text: "Message from a reported person or a witness" },
    { about: "14 Mar 2026, 14:00–14:15 UTC", text: "The reporter withdrew the report" },
    { about: "14 Mar 2026, 14:02 UTC · Ada Nwosu", text: "Downloaded the case" },
    { about: "14 Mar 2026, 14:02 UTC · Ada Nwosu", text: "Summary" },
  ]);
  expect(sections[2]?.texts).toEqual([
    { about: "door.jpg · image/jpeg · 640 kB", text: "SHA-256 ab12\nOriginal upload: SHA-256 cd34" },
  ]);
});

it("has notes and the team's words in the reader's language once they are chosen", () => {
  const { sections } = build(
    [row({ action: "note", body: "He is known." }), row({ action: "downloaded", to: "For the police" })],
    { notes: true, files: false },
    "fr",
  );
  expect(sections[0]?.texts.slice(1).map(({ text }) => text)).toEqual(["A quarrel.", "Settled."]);
  expect(sections[1]?.texts.map(({ text }) => text)).toEqual([
    "He is known.",
    "Dossier téléchargé\u00a0: For the police",
  ]);
});
