import type { SqlClient } from "#lib/database/sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { listWorkflowColumns, selectWorkflowFieldsSql } from "#lib/incidents/workflow-fields-sql.ts";
import type { WorkflowFields } from "#lib/incidents/workflow-fields.ts";
import type { Actor } from "#lib/operation/policy.ts";

/** What the last change of an incident replaced (contract 7.19). */

/** The columns that a change may touch; `last_message_at` only to see what came since. */
const UNDOABLE_COLUMNS_SQL = Prisma.raw(
  [
    ...listWorkflowColumns(),
    "urgent",
    "due_for",
    "due_since",
    "due_at",
    "message_after_closing",
    "last_message_at",
  ].join(),
);

/** SQL for the new value of `undo`: the columns as they are, for the actor and the version that the change makes. */
export const undoValueSql = (actor: Pick<Actor, "id">, version: Date): Prisma.Sql =>
  Prisma.sql`jsonb_build_object('by', ${actor.id}::uuid, 'version', ${version}::timestamptz,
    'before', (select to_jsonb(b) from (select ${UNDOABLE_COLUMNS_SQL}) b))`;

const restoredSql = (column: string): Prisma.Sql =>
  Prisma.sql`(jsonb_populate_record(i, i.undo -> 'before')).${Prisma.raw(column)}`;

/** SQL of the values that an undo restores without having read them. A deadline gets its former length as well. */
export const RESTORED_DEADLINE_SQL = {
  urgent: restoredSql("urgent"),
  due_for: restoredSql("due_for"),
  due_since: restoredSql("due_since"),
  due_at: restoredSql("due_at"),
};
export const RESTORED_MESSAGE_AFTER_CLOSING_SQL = restoredSql("message_after_closing");

/** SQL of the assignee to whom an undo gives incident `i` back; null where the change assigned it to nobody else. */
export const ASSIGNED_BY_UNDO_SQL = Prisma.sql`(select b.assigned_responder_id
  from jsonb_populate_record(i, i.undo -> 'before') b where b.assigned_responder_id is distinct from i.assigned_responder_id)`;

/** What a change replaced, and the version that it made. */
export type UndoableChange = WorkflowFields & { version: Date; lastMessageAt: Date | null };

/** Finds what an incident's last change replaced, if that was the actor's and can be undone. */
export async function findUndoableChange(
  tx: SqlClient,
  { actor, eventId }: { actor: Pick<Actor, "id">; eventId: string },
  incidentId: string,
): Promise<UndoableChange | undefined> {
  const [change] = await tx.$queryRaw<UndoableChange[]>`
    select ${selectWorkflowFieldsSql("b")}, b.last_message_at as "lastMessageAt", (i.undo ->> 'version')::timestamptz as version
    from incidents i cross join lateral jsonb_populate_record(i, i.undo -> 'before') b
    where i.id = ${incidentId}::uuid and i.event_id = ${eventId}::uuid and (i.undo ->> 'by')::uuid = ${actor.id}::uuid`;
  return change;
}
