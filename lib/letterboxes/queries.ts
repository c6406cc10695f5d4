import { prisma, sql } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import type { Prisma } from "#lib/generated/prisma/client.ts";
import {
  LETTERS_PER_PAGE,
  type LetterboxKind,
  type LetterboxRecord,
  type OpenedLetterboxRecord,
} from "#lib/letterboxes/schema.ts";
import type { OpenedLetterboxPermissionSubject } from "#lib/letterboxes/scope.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { buildPaginationFromTotal, computePageOffset } from "#lib/operation/fields.ts";

const PERSON = { select: { id: true, name: true } };
const FILE = { id: true, filename: true, mimetype: true, size: true };

const LETTERBOX = {
  id: true,
  kind: true,
  label: true,
  createdAt: true,
  closedAt: true,
  createdBy: PERSON,
  letters: { orderBy: { seq: "desc" }, include: { author: PERSON } },
  files: { orderBy: { createdAt: "asc" }, select: FILE },
} satisfies Prisma.LetterboxSelect;

/** Lists the letterboxes of an incident for the team, oldest first. */
export async function listLetterboxes(incidentId: string): Promise<LetterboxRecord[]> {
  const rows = await prisma.letterbox.findMany({
    where: { incidentId },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
    select: LETTERBOX,
  });
  return rows.map(toRecord);
}

/** Loads a letterbox for the team. @throws AppError NOT_FOUND */
export async function loadLetterboxForTeam(id: string): Promise<LetterboxRecord> {
  const row = await prisma.letterbox.findUnique({ where: { id }, select: LETTERBOX });
  if (!row) throw createNotFoundError("letterbox");
  return toRecord(row);
}

type LetterRow = Prisma.LetterGetPayload<object>;
type LetterboxRow = Prisma.LetterboxGetPayload<{ select: typeof LETTERBOX }>;

const toRecord = ({ letters, ...letterbox }: LetterboxRow): LetterboxRecord => ({
  ...letterbox,
  letters: letters.map((letter) => ({
    ...toLetter(letter),
    from: letter.fromHolder ? "holder" : "team",
    author: letter.author,
    sentAt: letter.sentAt,
  })),
});

const toLetter = (letter: LetterRow) => ({
  id: letter.id,
  body: letter.body,
  decision: toDecision(letter),
  appeal: letter.isAppeal,
  readOn: toDay(letter.readOn),
});

function toDecision({ reported, finding, measure, measureEndsOn, appeal }: LetterRow) {
  if (reported === null || finding === null || measure === null || appeal === null) return null;
  return { reported, finding, measure, measureEndsOn: toDay(measureEndsOn), appeal };
}

function toDay(date: Date): string;
function toDay(date: Date | null): string | null;
function toDay(date: Date | null): string | null {
  return date && date.toISOString().slice(0, 10);
}

/**
 * Loads an opened letterbox as its holder sees it. It selects each field that they may see, and nothing of the
 * incident, its report or its other letterboxes. It records no visit.
 */
export async function loadLetterboxForHolder(
  { letterboxId, eventId, kind }: OpenedLetterboxPermissionSubject,
  page: number,
): Promise<OpenedLetterboxRecord> {
  const [event, letters, total, decisions, files] = await Promise.all([
    prisma.event.findUniqueOrThrow({ where: { id: eventId }, select: { name: true } }),
    prisma.letter.findMany({
      where: { letterboxId },
      orderBy: [{ seq: "desc" }],
      take: LETTERS_PER_PAGE,
      skip: computePageOffset(page, LETTERS_PER_PAGE),
    }),
    prisma.letter.count({ where: { letterboxId } }),
    prisma.letter.findMany({ where: { letterboxId, measure: { not: null } }, orderBy: [{ seq: "desc" }] }),
    prisma.relatedFile.findMany({
      where: { letterboxId },
      orderBy: [{ createdAt: "asc" }, { id: "asc" }],
      select: { ...FILE, createdAt: true },
    }),
  ]);
  return {
    event,
    kind,
    letters: letters.map((letter) => ({
      ...toLetter(letter),
      from: letter.fromHolder ? "you" : "team",
      sentOn: toDay(letter.sentAt),
    })),
    pagination: buildPaginationFromTotal({ page, limit: LETTERS_PER_PAGE }, total),
    measures: decisions.map(toMeasure),
    files: files.map(({ createdAt, ...file }) => ({ ...file, sentOn: toDay(createdAt) })),
  };
}

const toMeasure = ({ id, measure, measureEndsOn }: LetterRow) => {
  const endsOn = toDay(measureEndsOn);
  const today = toDay(new Date());
  return { letterId: id, measure: measure ?? "", endsOn, hasEnded: endsOn !== null && endsOn < today };
};

/** Returns whether the holder was sent a decision. Every decision names a measure. */
export const isDecisionInLetterbox = async (
  tx: Pick<SqlClient, "$queryRaw">,
  letterboxId: string,
): Promise<boolean> =>
  (
    await tx.$queryRaw<unknown[]>`
      select 1 from letters where letterbox_id = ${letterboxId}::uuid and measure is not null limit 1`
  ).length > 0;

type OpenedRow = { eventId: string; organizationId: string; incidentId: string; kind: LetterboxKind };

/** Finds a letterbox and its event; undefined if the letterbox is closed or its code has another hash. */
export async function findOpenedLetterbox(
  letterboxId: string,
  codeHash: Uint8Array,
): Promise<OpenedRow | undefined> {
  const [row] = await sql.$queryRaw<OpenedRow[]>`
    select i.event_id as "eventId", e.organization_id as "organizationId", l.incident_id as "incidentId", l.kind
    from letterboxes l join incidents i on i.id = l.incident_id join events e on e.id = i.event_id
    where l.id = ${letterboxId}::uuid and l.code_hash = ${codeHash}::bytea`;
  return row;
}
