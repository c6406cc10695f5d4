import { describe, expect, it } from "vitest";
import { createCompoundFile, createDoc, createPropertySet, createRtf } from "#e2e/support/documents.ts";
import { listLegacyOfficeMetadataFieldNames } from "./old-office.ts";
import { listRevealedMetadataCategories } from "./reveals.ts";

const classifyBytes = (bytes: Buffer) =>
  listRevealedMetadataCategories(listLegacyOfficeMetadataFieldNames(bytes));
const SUMMARY = "\u0005SummaryInformation";

describe("an old office file", () => {
  it("lists its author, time and program", () => {
    expect(classifyBytes(createDoc())).toEqual(["device", "time", "author"]);
  });

  it("lists no blank fields", () => {
    const blank = createPropertySet({ 4: " ", 8: "", 12: 0n, 2: "A title" });
    expect(classifyBytes(createCompoundFile({ WordDocument: Buffer.from("x"), [SUMMARY]: blank }))).toEqual(
      [],
    );
    expect(classifyBytes(createCompoundFile({ WordDocument: Buffer.from("x") }))).toEqual([]);
  });

  const user = (name: string) => {
    const bytes = Buffer.alloc(28);
    bytes.writeUInt16LE(name.length, 20);
    return Buffer.concat([bytes, Buffer.from(name)]);
  };
  const writer = (name: string) => {
    const record = Buffer.alloc(4 + 112, " ");
    record.writeUInt16LE(0x5c, 0);
    record.writeUInt16LE(112, 2);
    record.writeUInt16LE(name.length, 4);
    record.writeUInt8(0, 6);
    record.write(name, 7);
    const begin = Buffer.from("0908100000060500bb0dcc07c100000006060000".slice(0, 40), "hex");
    return Buffer.concat([begin, record, Buffer.from("0a000000", "hex")]);
  };
  it.each([
    [
      "PowerPoint",
      { "PowerPoint Document": Buffer.from("x"), "Current User": user("Maya Castillo") },
      ["author"],
    ],
    ["PowerPoint, without a name", { "PowerPoint Document": Buffer.from("x"), "Current User": user("") }, []],
    ["Excel", { Workbook: writer("Maya Castillo") }, ["author"]],
    ["Excel, without a name", { Workbook: writer("") }, []],
  ])("of %s lists who had it open last", (_, streams, reveals) => {
    expect(classifyBytes(createCompoundFile(streams as Record<string, Buffer>))).toEqual(reveals);
  });

  it("whose table runs in circles is an error", () => {
    const bytes = createDoc();
    for (let at = 512; at < 1024; at += 4) bytes.writeUInt32LE(1, at);
    expect(() => listLegacyOfficeMetadataFieldNames(bytes)).toThrow(RangeError);
  });

  it("that breaks off, or makes no sense, is an error", () => {
    for (const length of [700, 1500, 3000, createDoc().length - 4096])
      expect(() => listLegacyOfficeMetadataFieldNames(createDoc().subarray(0, length))).toThrow(Error);
    const bytes = Buffer.concat([createDoc().subarray(0, 512), Buffer.alloc(4096, 0xa5)]);
    expect(() => listLegacyOfficeMetadataFieldNames(bytes)).toThrow(Error);
  });

  const encrypted = Buffer.alloc(12);
  encrypted.writeUInt16LE(0x0100, 10);
  it.each([
    ["is encrypted, of Word", { WordDocument: encrypted }],
    ["is encrypted, of Excel", { Workbook: Buffer.from("2f0000000a000000", "hex") }],
    [
      "is encrypted, of PowerPoint",
      { "PowerPoint Document": Buffer.from("x"), EncryptedSummary: Buffer.from("x") },
    ],
    ["holds pictures", { "PowerPoint Document": Buffer.from("x"), Pictures: Buffer.from("x") }],
    ["holds a photograph", { WordDocument: Buffer.from("ffd8ffe1", "hex") }],
    ["holds no document", { [SUMMARY]: createPropertySet({ 4: "Maya Castillo" }) }],
  ])("that %s is an error", (_, streams) => {
    expect(() =>
      listLegacyOfficeMetadataFieldNames(createCompoundFile(streams as Record<string, Buffer>)),
    ).toThrow(Error);
  });

  it("of another format is an error", () => {
    expect(() => listLegacyOfficeMetadataFieldNames(Buffer.from("What I saw."))).toThrow("no compound file");
  });
});

describe("a text in RTF", () => {
  it("lists its author, time and program", () => {
    expect(classifyBytes(createRtf())).toEqual(["device", "time", "author"]);
  });

  it.each([
    [String.raw`{\rtf1{\info{\author }{\title Lantern}}What I saw.}`, []],
    [String.raw`{\rtf1{\*\revtbl {Unknown;}}What I saw.}`, []],
    [String.raw`{\rtf1{\*\revtbl {Unknown;}{Maya Castillo;}}What I saw.}`, ["author"]],
    [String.raw`{\rtf1 What I saw{\*\atnauthor Maya Castillo}.}`, ["author"]],
    [String.raw`{\rtf1{\info{\*\company Lantern}}What I saw.}`, ["author"]],
  ])("%s reveals the categories that its fields fill", (text, reveals) => {
    expect(classifyBytes(Buffer.from(text))).toEqual(reveals);
  });

  it.each([
    String.raw`{\rtf1 What I saw{\pict\jpegblip 4c}.}`,
    String.raw`{\rtf1{\object\objemb{\*\objdata 4c}}}`,
    String.raw`{\rtf1 What I saw`,
  ])("%s is an error", (text) => {
    expect(() => listLegacyOfficeMetadataFieldNames(Buffer.from(text))).toThrow(Error);
  });
});
