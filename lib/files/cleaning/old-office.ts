/**
 * Reads the metadata of old office files: Word, Excel and PowerPoint before 2007 ([MS-CFB] and [MS-OLEPS]), and RTF.
 * They are only read, never cleaned: their formats repeat names in places that can't all be listed.
 */

/**
 * Lists the metadata fields that an old office file fills.
 * @throws Error when it is broken or encrypted, or holds files or pictures, which may have metadata of their own
 */
export function listLegacyOfficeMetadataFieldNames(bytes: Buffer): string[] {
  if (PICTURE_SIGNATURES.some((start) => bytes.includes(start)))
    throw new Error("This file holds a picture.");
  return bytes.toString("latin1", 0, 5) === "{\\rtf"
    ? listRtfFieldNames(bytes)
    : listCompoundFieldNames(new CompoundFile(bytes));
}

/** The first bytes of JPEG, PNG and TIFF files. */
const PICTURE_SIGNATURES = ["ffd8ff", "89504e470d0a1a0a", "49492a00", "4d4d002a"].map((hex) =>
  Buffer.from(hex, "hex"),
);
/** Storages of embedded files, macros and pictures, and the stream that marks an encrypted presentation. */
const UNREADABLE_STREAMS = ["ObjectPool", "_VBA_PROJECT_CUR", "Macros", "EncryptedSummary", "Pictures"];
const MAIN_STREAMS = ["WordDocument", "Workbook", "Book", "PowerPoint Document"];
/** The flag for encryption in a Word document's header ([MS-DOC] 2.5.2), and its offset. */
const WORD_ENCRYPTED = { at: 10, bit: 0x0100 };

function listCompoundFieldNames(file: CompoundFile): string[] {
  if (!MAIN_STREAMS.some((name) => file.has(name))) throw new Error("This file holds no document.");
  if (UNREADABLE_STREAMS.some((name) => file.has(name)) || isEncrypted(file))
    throw new Error("This file holds what can't be looked into.");
  const names = [
    ...listFilledProperties(file.read("\u0005SummaryInformation"), SUMMARY_PROPERTIES),
    ...listFilledProperties(file.read("\u0005DocumentSummaryInformation"), DOCUMENT_SUMMARY_PROPERTIES),
  ];
  const lastUser =
    hasCurrentUser(file.read("Current User")) || hasWriter(file.read("Workbook") ?? file.read("Book"));
  return lastUser ? [...names, "LastModifiedBy"] : names;
}

function isEncrypted(file: CompoundFile): boolean {
  const word = file.read("WordDocument");
  if (word && word.length > WORD_ENCRYPTED.at + 1)
    return (word.readUInt16LE(WORD_ENCRYPTED.at) & WORD_ENCRYPTED.bit) !== 0;
  return hasRecord(file.read("Workbook") ?? file.read("Book"), FILE_PASS_RECORD);
}

function listRtfFieldNames(bytes: Buffer): string[] {
  const text = bytes.toString("latin1");
  if (RTF_OBJECT.test(text)) throw new Error("This file holds what can't be looked into.");
  if (!/\}[\s\0]*$/.test(text)) throw new Error("This file breaks off.");
  const fields = [...text.matchAll(RTF_FIELD)].filter(([, , value = ""]) => value.trim() !== "");
  const names = fields.map(([, name = ""]) => RTF_NAMES[name] ?? "");
  const revisionTable = /\{\\\*\\revtbl((?:\s*\{[^{}]*\})+)/.exec(text)?.[1] ?? "";
  if (revisionTable.split("{").some(namesAuthor)) names.push("Author");
  return names;
}

const RTF_OBJECT = /\\(object|objdata|pict|bin)(?![a-z])/;

/** Checks whether an entry of the revision table, such as "Ada Lovelace;}", names a person. */
function namesAuthor(entry: string): boolean {
  const [name = ""] = entry.split(/[;}]/, 1);
  return name.trim() !== "" && !entry.startsWith("Unknown;");
}

const RTF_FIELD =
  /\{(?:\\\*)?\s*\\(author|operator|manager|company|atnauthor|atnid|generator|creatim|revtim|printim|buptim)\b ?([^{}]{1,200})/g;
const RTF_NAMES: Record<string, string> = {
  author: "Author",
  operator: "LastModifiedBy",
  manager: "Manager",
  company: "Company",
  atnauthor: "Author",
  atnid: "Author",
  generator: "Producer",
  creatim: "CreationDate",
  revtim: "ModDate",
  printim: "ModDate",
  buptim: "ModDate",
};

/** Properties by their number in the summary information. */
const SUMMARY_PROPERTIES: Record<number, string> = {
  4: "Author",
  8: "LastModifiedBy",
  11: "ModDate",
  12: "CreationDate",
  13: "ModDate",
  18: "Producer",
};
const DOCUMENT_SUMMARY_PROPERTIES: Record<number, string> = { 14: "Manager", 15: "Company" };

/**
 * Returns those of the names whose property has a value in the first property set of a stream. The set lists property
 * numbers and the offsets of their values.
 */
function listFilledProperties(stream: Buffer | null, names: Record<number, string>): string[] {
  if (!stream || stream.length < 48) return [];
  const start = stream.readUInt32LE(44);
  const count = Math.min(stream.readUInt32LE(start + 4), MAX_PROPERTIES);
  return Array.from({ length: count }, (_, index) => start + 8 + index * 8)
    .filter((at) => names[stream.readUInt32LE(at)] && isFilled(stream, start + stream.readUInt32LE(at + 4)))
    .map((at) => names[stream.readUInt32LE(at)] ?? "");
}

const MAX_PROPERTIES = 1_000;
const [TEXT_PROPERTY, WIDE_TEXT_PROPERTY, TIME_PROPERTY] = [0x1e, 0x1f, 0x40];

function isFilled(stream: Buffer, at: number): boolean {
  const type = stream.readUInt16LE(at);
  if (type === TIME_PROPERTY) return stream.readBigUInt64LE(at + 4) > 0n;
  if (type !== TEXT_PROPERTY && type !== WIDE_TEXT_PROPERTY) return false;
  const length = stream.readUInt32LE(at + 4) * (type === TEXT_PROPERTY ? 1 : 2);
  return isText(stream.subarray(at + 8, at + 8 + length));
}

const isText = (bytes: Buffer): boolean => /[^\s\0]/.test(bytes.toString("latin1"));

/** PowerPoint's "Current User" stream: a fixed part, then the user's name. */
const hasCurrentUser = (stream: Buffer | null): boolean => {
  if (!stream || stream.length < 28) return false;
  const length = stream.readUInt16LE(20);
  return isText(stream.subarray(28, 28 + length));
};

const [WRITE_ACCESS_RECORD, FILE_PASS_RECORD, EOF_RECORD] = [0x5c, 0x2f, 0x0a];

/** Checks whether Excel's stream has a record of this type before the first sheet. */
function hasRecord(stream: Buffer | null, recordType: number): boolean {
  for (let at = 0; stream && at + 4 <= stream.length; at += 4 + stream.readUInt16LE(at + 2)) {
    const type = stream.readUInt16LE(at);
    if (type === recordType) return true;
    if (type === EOF_RECORD) return false;
  }
  return false;
}

/** Checks for Excel's record of the file's author among those before the first sheet. */
function hasWriter(stream: Buffer | null): boolean {
  for (let at = 0; stream && at + 4 <= stream.length;) {
    const [type, length] = [stream.readUInt16LE(at), stream.readUInt16LE(at + 2)];
    // The name is preceded by its length and padded with blanks.
    if (type === WRITE_ACCESS_RECORD) return isText(stream.subarray(at + 7, at + 4 + length));
    if (type === EOF_RECORD) return false;
    at += 4 + length;
  }
  return false;
}

const [END_OF_CHAIN, FREE_SECTOR, COMPOUND_MAGIC] = [0xfffffffe, 0xffffffff, "d0cf11e0a1b11ae1"];
const ENTRY_BYTES = 128;
const [STORAGE_ENTRY, STREAM_ENTRY] = [1, 2];

/** A compound file: a file system in a file, with sectors chained by tables, and streams found by name. */
class CompoundFile {
  readonly #bytes: Buffer;
  readonly #sectorBytes: number;
  readonly #fat: Uint32Array;
  readonly #entries: Buffer;
  readonly #mini: { stream: Buffer; fat: Uint32Array; below: number };

  constructor(bytes: Buffer) {
    if (bytes.toString("hex", 0, 8) !== COMPOUND_MAGIC) throw new Error("This is no compound file.");
    this.#bytes = bytes;
    this.#sectorBytes = 2 ** Math.min(bytes.readUInt16LE(30), 16);
    this.#fat = readSectorTable(this.#readSectors(this.#listFatSectors()));
    this.#entries = this.#readChain(bytes.readUInt32LE(48));
    this.#mini = {
      stream: this.#readChain(this.#entries.readUInt32LE(116)),
      fat: readSectorTable(this.#readChain(bytes.readUInt32LE(60))),
      below: bytes.readUInt32LE(56),
    };
  }

  /** Checks whether there is a stream or storage with this name. */
  has(name: string): boolean {
    return this.#findEntries(name).length > 0;
  }

  /**
   * Returns the bytes of the first stream with this name, or null if there is none. @throws Error when the stream is
   * truncated
   */
  read(name: string): Buffer | null {
    const [entry] = this.#findEntries(name).filter((one) => one[66] === STREAM_ENTRY);
    return entry ? this.#readContent(entry) : null;
  }

  #findEntries(name: string): Buffer[] {
    return Array.from({ length: Math.floor(this.#entries.length / ENTRY_BYTES) }, (_, index) =>
      this.#entries.subarray(index * ENTRY_BYTES, (index + 1) * ENTRY_BYTES),
    ).filter((entry) => {
      const length = Math.min(Math.max(entry.readUInt16LE(64) - 2, 0), 62);
      return (
        (entry[66] === STORAGE_ENTRY || entry[66] === STREAM_ENTRY) &&
        entry.toString("utf16le", 0, length) === name
      );
    });
  }

  #readContent(entry: Buffer): Buffer {
    const [first, size] = [entry.readUInt32LE(116), entry.readUInt32LE(120)];
    const { stream, fat, below } = this.#mini;
    const pieces = () => followChain(first, fat).map((at) => stream.subarray(at * 64, at * 64 + 64));
    const content = size >= below ? this.#readChain(first) : Buffer.concat(size > 0 ? pieces() : []);
    if (content.length < size) throw new RangeError("a stream breaks off");
    return content.subarray(0, size);
  }

  /** Lists the sectors of the allocation table: the header holds the first ones, and separate sectors the others. */
  #listFatSectors(): number[] {
    const places = Array.from({ length: 109 }, (_, index) => this.#bytes.readUInt32LE(76 + index * 4));
    const sectorCount = this.#bytes.length / this.#sectorBytes;
    for (
      let next = this.#bytes.readUInt32LE(68);
      next < END_OF_CHAIN - 1 && places.length < sectorCount + 109;
    ) {
      const table = [...readSectorTable(this.#readSectors([next]))];
      if (table.length === 0) break;
      next = table.pop() ?? END_OF_CHAIN;
      places.push(...table);
    }
    return places.filter((place) => place < sectorCount);
  }

  #readChain(first: number): Buffer {
    return this.#readSectors(followChain(first, this.#fat));
  }

  #readSectors(places: readonly number[]): Buffer {
    const size = this.#sectorBytes;
    return Buffer.concat(places.map((place) => this.#bytes.subarray((place + 1) * size, (place + 2) * size)));
  }
}

/** Lists the sectors of a chain; empty when it has no start. @throws Error when it loops or leaves the table */
function followChain(first: number, table: Uint32Array): number[] {
  if (first === FREE_SECTOR) return [];
  const places = new Set<number>();
  for (let at = first; at !== END_OF_CHAIN; at = table[at] ?? END_OF_CHAIN) {
    if (at >= table.length || places.has(at)) throw new RangeError("a chain without an end");
    places.add(at);
  }
  return [...places];
}

const readSectorTable = (bytes: Buffer): Uint32Array =>
  Uint32Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readUInt32LE(index * 4));
