import { parse } from "@babel/parser";
import { expect, test } from "vitest";
import { listSourceFiles, readSourceFile } from "#e2e/support/source-files.ts";
import { EVENT_ROLES } from "#lib/events/schema.ts";
import { INCIDENT_STATES } from "#lib/access/incident-states.ts";
import { isSyntaxNode, listSyntaxNodes, type SyntaxNode } from "#lib/syntax-tree.ts";

/**
 * Where raw SQL stands (docs/decisions/041): reads in `queries.ts`, or `*-queries.ts` for one topic of a folder, parts of
 * statements in `*-sql.ts`, and in the file of a verb only what locks or what Prisma can't write. Sets of roles and states come from the policy.
 */

const READ_ADVICE =
  "SQL that reads belongs into a file of queries, and a part of a statement into a *-sql.ts";
const VERB_ADVICE = "SQL that writes belongs into the file of its verb";
const WRITE_ADVICE = "an ordinary write is a Prisma call";
const CONNECTION_ADVICE = "take sql or a transaction of lib/database/client.ts instead of a connection";
const LITERAL_ADVICE = "take the set of roles or states from lib/access/policy-sql.ts";

/** Files of `lib` with other SQL, and why. A new one fits one of these reasons, or there is a better place for it. */
const EXCEPTIONS: Record<string, string[]> = {
  "a read within the transaction of the verb beside it": ["conversations/mentions.ts"],
  "a write in transactions that consist of raw statements": ["idempotency/requests.ts"],
  "a write that Prisma would extend by `updated_at`": ["webhooks/deliveries.ts"],
  "a write at each view of an incident": ["incidents/access.ts"],
  "a write of a value that is computed from the row as it is": [
    "accounts/sign-in-delay.ts",
    "incidents/messages.ts",
    "own-account/deletion.ts",
  ],
  "a write under a condition that reads share": ["invites/invites.ts", "notifications/notifications.ts"],
  "a function or setting of the database": ["database/client.ts"],
  "a lock whose table and strength are values": ["database/row-lock.ts"],
};

/** Places with a connection of their own: for the tools that work on a whole database, and for locks of a session. */
const OWN_CONNECTIONS =
  /^lib\/(backup|database|scripts|server)\/|^lib\/(evidence\/integrity|files\/storage\/removal|jobs\/library-tables|live\/listener|worker\/presence)\.ts$/;

/** Texts that a role or state has in common with something else. */
const OTHER_MEANINGS: Record<string, string> = {
  "lib/incidents/history-queries.ts: submitted": "the action of a history entry",
  "lib/incidents/submission.ts: submitted": "the action of a history entry, and the state that it names",
  "lib/retention/due-sql.ts: resolved": "the state that a rule is for",
  "lib/retention/due-sql.ts: closed": "the state that a rule is for",
};

const WRITES = /\b(insert into|update|delete from)\s/;
const LOCKS =
  /\bfor (no key update|update|key share|share)\b|_advisory_|\block table\b|\bgraphile_worker\.|\bpg_notify\(/;
/** What Prisma has no words for. */
const BEYOND_PRISMA =
  /\bwith\s|\bon conflict\b|\breturning\b|\binsert into[^]*\bselect\b|\bfrom unnest\b|\busing\b|graphile_worker\./;

type Statement = { node: SyntaxNode; kind: "statement" | "part" | "connection"; text: string };
type Source = { file: string; program: string; statements: Statement[] };

/** Lists the SQL of a program: tagged templates, texts for `Prisma.raw`, and texts sent over a connection. */
function listStatements(program: string): Statement[] {
  const { program: tree } = parse(program, { sourceType: "module", plugins: ["typescript", "jsx"] });
  return listSyntaxNodes(tree as unknown as SyntaxNode).flatMap((node): Statement[] => {
    if (node.type === "TaggedTemplateExpression") {
      const name = nameOf(node.tag);
      const kind = name === "sql" ? "part" : /^\$(queryRaw|executeRaw)$/.test(name) ? "statement" : undefined;
      return kind ? [{ node, kind, text: textOf(node.quasi) }] : [];
    }
    if (node.type !== "CallExpression") return [];
    const text = textOf((node.arguments as unknown[])[0]);
    if (nameOf(node.callee) === "raw") return [{ node, kind: "part", text }];
    return isQueryOfConnection(node) ? [{ node, kind: "connection", text }] : [];
  });
}

/** `connection.query(…)`, whether or not its text can be read here. */
const isQueryOfConnection = ({ callee, arguments: given }: SyntaxNode): boolean =>
  nameOf(callee) === "query" &&
  (callee as SyntaxNode).type === "MemberExpression" &&
  (given as []).length > 0;

const nameOf = (node: unknown): string => {
  const { name, property } = (node ?? {}) as { name?: string; property?: { name?: string } };
  return property?.name ?? name ?? "";
};

/** The text of a string or template, with `$` for each value in it. */
function textOf(node: unknown): string {
  if (!isSyntaxNode(node)) return "";
  if (node.type === "StringLiteral") return String(node.value);
  const quasis = (node.quasis ?? []) as { value: { raw: string } }[];
  return quasis.map(({ value }) => value.raw).join("$");
}

const EXCEPTED = new Set(Object.values(EXCEPTIONS).flat());

function listMisplacedStatements({ file, statements }: Source, excepted = EXCEPTED): string[] {
  const name = file.replace(/^lib\//, "");
  if (name.endsWith("-sql.ts")) return [];
  const isOfReads = /(^|\/|-)queries\.ts$/.test(name);
  const hasVerb = statements.some(({ text }) => WRITES.test(text) || LOCKS.test(text));
  return statements.flatMap(({ node, kind, text }) => {
    const place = `${file}:${(node.loc as { start: { line: number } }).start.line}`;
    if (isOfReads) return WRITES.test(text) ? [`${place}: ${VERB_ADVICE}`] : [];
    if (kind === "connection") return OWN_CONNECTIONS.test(file) ? [] : [`${place}: ${CONNECTION_ADVICE}`];
    if (excepted.has(name) || (kind === "part" && hasVerb) || LOCKS.test(text)) return [];
    if (!WRITES.test(text)) return [`${place}: ${READ_ADVICE}`];
    return BEYOND_PRISMA.test(text) ? [] : [`${place}: ${WRITE_ADVICE}`];
  });
}

const listLiterals = ({ file, statements }: Source): string[] =>
  statements.flatMap(({ text }) =>
    [...text.matchAll(/'([A-Za-z_]+)'/g)]
      .map(([, name = ""]) => name)
      .filter((name) => NAMES.has(name) && !(`${file}: ${name}` in OTHER_MEANINGS))
      .map((name) => `${file}: '${name}': ${LITERAL_ADVICE}`),
  );

const NAMES = new Set<string>([...EVENT_ROLES, "org_admin", "org_viewer", ...INCIDENT_STATES]);

const listColumnSums = ({ file, statements }: Source): string[] =>
  statements.flatMap(({ text }) =>
    /submitted \+ \w*\.?acknowledged/.test(text) ? [`${file}: ${LITERAL_ADVICE}`] : [],
  );

const readSources = (): Source[] =>
  listSourceFiles(["lib", "app", "components"])
    .filter((file) => !/\.(test|d)\.tsx?$/.test(file))
    .map((file) => ({ file, program: readSourceFile(file) }))
    .filter(({ program }) => /\$(queryRaw|executeRaw)|Prisma\.(sql|raw)|\.query\b/.test(program))
    .map(({ file, program }) => makeSource(file, program));

const makeSource = (file: string, program: string): Source => ({
  file,
  program,
  statements: listStatements(program),
});

const sources = readSources();

test("raw SQL is only in queries, SQL fragments and locking verbs", () => {
  expect(sources.length).toBeGreaterThan(80);
  expect(sources.flatMap((source) => listMisplacedStatements(source))).toEqual([]);
});

test("each listed exception is needed", () => {
  const needed = sources
    .filter((source) => listMisplacedStatements(source, new Set()).length > 0)
    .map(({ file }) => file.replace(/^lib\//, ""));
  expect([...EXCEPTED].toSorted()).toEqual(needed.toSorted());
});

/** Statements that Prisma could say, and why they are raw. */
const RAW_ALL_THE_SAME: Record<string, string> = {
  "idempotency/requests.ts": "runs in transactions of both kinds",
  "webhooks/deliveries.ts": "Prisma would set updated_at",
};

const VALUE = String.raw`(\$|true|false|null|\d+|'\w+'|any\(\$(::\w+(\[\])?)?\))(::\w+(\[\])?)?`;
const CONDITION = String.raw`[\w.]+ ((=|<>|<|>|<=|>=) ${VALUE}|is (not )?null)`;
const COLUMN = String.raw`([\w.]+|count\(\*\))(::\w+)?( as "?\w+"?)?`;
const listOf = (item: string, separator = ", ") => `${item}(${separator}${item})*`;
const WHERE = ` where ${listOf(CONDITION, " and ")}`;
const JOIN = String.raw` (left )?join \w+( \w+)? on [\w.]+ = [\w.]+( and ${CONDITION})*`;
const ORDER = String.raw` order by ${listOf(String.raw`[\w.]+( desc)?`)}`;
/**
 * A whole statement that compares columns with values, on one table or on several joined by their ids: no function, lock or
 * part with a condition.
 */
const SAID_BY_PRISMA = new RegExp(
  `^(${[
    String.raw`select (distinct )?${listOf(COLUMN)} from \w+( \w+)?(${JOIN})*(${WHERE})?(${ORDER})?( limit ${VALUE})?( offset ${VALUE})?`,
    String.raw`insert into \w+ \(${listOf(String.raw`\w+`)}\) values \(${listOf(VALUE)}\)( on conflict( \([\w, ]+\))? do nothing)?`,
    String.raw`update \w+( \w)? set ${listOf(String.raw`\w+ = ${VALUE}`)}${WHERE}`,
    String.raw`delete from \w+( \w)?${WHERE}( returning ${listOf(COLUMN)})?`,
  ].join("|")})$`,
);
const LOCKS_BY_IDS = new RegExp(
  String.raw`^select ${listOf(COLUMN)} from \w+( \w+)?${WHERE}(${ORDER})? for (update|no key update|share|key share)$`,
);
const removeLineBreaks = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
const isSaidByPrisma = (text: string): boolean => SAID_BY_PRISMA.test(removeLineBreaks(text));
const isLockRow = (text: string): boolean => LOCKS_BY_IDS.test(removeLineBreaks(text));

test("what Prisma can say is a Prisma call", () => {
  const plain = sources.flatMap(({ file, statements }) =>
    statements
      .filter(({ kind, text }) => kind === "statement" && isSaidByPrisma(text))
      .map(() => file.replace(/^lib\//, "")),
  );
  expect(plain.toSorted()).toEqual(Object.keys(RAW_ALL_THE_SAME));
});

test("rows are locked by their ids with lockRow or lockRows", () => {
  const locking = sources.flatMap(({ file, statements }) =>
    statements.filter(({ kind, text }) => kind === "statement" && isLockRow(text)).map(() => file),
  );
  expect(locking).toEqual([]);
});

test.each([
  ["select email from users where id = $::uuid for no key update", true],
  ["select 1 from pins where user_id = $::uuid and at is not null order by id for share", true],
  ["select id from events where id = $::uuid and $ for update", false],
  ["select id from events where id = $::uuid for update skip locked", false],
])("knows whether lockRow can say: %s", (text, expected) => {
  expect(isLockRow(text)).toBe(expected);
});

test.each([
  [
    "select u.name, r.role_name::text as role from event_roles r join users u on u.id = r.user_id where u.id = $",
    true,
  ],
  [
    "select count(*)::int as total from events e left join pins p on p.event_id = e.id and p.user_id = $",
    true,
  ],
  ["select id from events e join pins p on p.event_id = e.id and $ where e.id = $", false],
  ["select id, logo_key as key from events e where e.id = $::uuid and slug is not null limit 1", true],
  ["insert into pins (user_id, name)\n values ($::uuid, 'x') on conflict do nothing", true],
  ["update pins set name = $, at = null where id = any($::uuid[])", true],
  ["delete from pins where id = $::uuid", true],
  ["select id from events where id = $::uuid for update", false],
  ["select id from events where at > now()", false],
  ["select id from events where $", false],
  ["update pins set n = n + 1 where id = $", false],
  ["delete from pins where id = $ returning name", true],
  ["delete from pins where n < m returning name", false],
])("knows whether Prisma can say: %s", (text, expected) => {
  expect(isSaidByPrisma(text)).toBe(expected);
});

test("SQL takes sets of roles and states from the policy and the workflow", () => {
  expect(sources.flatMap((source) => [...listLiterals(source), ...listColumnSums(source)])).toEqual([]);
});

const listOrders = (statement: string): string[] =>
  [...statement.matchAll(/\border by ((?:[^()]|\([^()]*\))*)/g)].map(
    ([, order = ""]) => order.split(/\b(?:from|limit|offset|join|where)\b/)[0] ?? "",
  );

test("names sort by title_order", () => {
  const orders = sources.flatMap(({ file, statements }) =>
    statements.flatMap(({ text }) => listOrders(text).map((order) => ({ file, order }))),
  );
  const byName = orders.filter(({ order }) => /(^|[ .])name\b/.test(order));
  expect(byName.length).toBeGreaterThan(10);
  expect(byName.filter(({ order }) => /(^|[ .])name\b(?! collate title_order)/.test(order))).toEqual([]);
});

const writesJsonMembers = ({ statements }: Source) => statements.some(({ text }) => /[{,]"\w+":/.test(text));

test("finds SQL with the name of a JSON member", () => {
  const write = (text: string) => makeSource("lib/incidents/inbox-queries.ts", `Prisma.sql\`${text}\`;`);
  expect(writesJsonMembers(write(`select concat('{"id":', p.id, '}')`))).toBe(true);
  expect(writesJsonMembers(write(`select p.id as "id" from pins p`))).toBe(false);
});

/** `e2e/domain/records.test.ts` and `inbox-rows.test.ts` hold what they write equal to the declared shapes. */
test("SQL with the names of JSON members is in one file, and only lists send it as it is", () => {
  const writing = sources.filter(writesJsonMembers);
  expect(writing.map(({ file }) => file)).toEqual(["lib/incidents/json-sql.ts"]);
  const sending = sources.filter(({ program }) => /\bINCIDENT_API_JSON_SQL\b/.test(program));
  expect(sending.map(({ file }) => file).toSorted()).toEqual([
    "lib/incidents/json-sql.ts",
    "lib/incidents/list-queries.ts",
  ]);
});

test.each([
  ["const a = await sql.$queryRaw`select name from pins where id = ${id}`;", READ_ADVICE],
  ["const a = Prisma.sql`id = ${id}`;", READ_ADVICE],
  ["await tx.$executeRaw`update pins set name = ${name} where id = ${id}`;", WRITE_ADVICE],
  [
    "await tx.$executeRaw`update pins set name = coalesce(name, ${name}), at = now(), n = n + 1`;",
    WRITE_ADVICE,
  ],
  ["await client.query('select name from pins');", CONNECTION_ADVICE],
  ["await getPrismaPool().query<Row>(text, values);", CONNECTION_ADVICE],
])("finds misplaced SQL: %s", (program, advice) => {
  expect(listMisplacedStatements(makeSource("lib/incidents/pins.ts", program))).toEqual([
    `lib/incidents/pins.ts:1: ${advice}`,
  ]);
});

test("finds SQL that writes among reads", () => {
  const program = "await sql.$executeRaw`delete from pins where id = ${id} returning name`;";
  expect(listMisplacedStatements(makeSource("lib/incidents/inbox-queries.ts", program))).toEqual([
    `lib/incidents/inbox-queries.ts:1: ${VERB_ADVICE}`,
  ]);
});

test.each([
  ["lib/incidents/row-queries.ts", "sql.$queryRaw`select name from pins`;"],
  ["lib/incidents/inbox-queries.ts", "sql.$queryRaw`select name from pins`;"],
  ["lib/incidents/pins-sql.ts", "Prisma.sql`id = ${id}`;"],
  ["lib/incidents/pins.ts", "tx.$queryRaw`select name from pins where id = ${id} for update`;"],
  ["lib/incidents/pins.ts", "tx.$executeRaw`insert into pins (id) values (${id}) on conflict do nothing`;"],
])("leaves SQL in its place: %s %s", (file, program) => {
  expect(listMisplacedStatements(makeSource(file, program))).toEqual([]);
});

test.each(["role_name = 'Admin'", "state in ('submitted', 'acknowledged')", "m.role = 'org_admin'"])(
  "finds a literal: %s",
  (condition) => {
    expect(
      listLiterals(makeSource("lib/incidents/inbox-queries.ts", `Prisma.sql\`${condition}\`;`)).length,
    ).toBeGreaterThan(0);
  },
);
