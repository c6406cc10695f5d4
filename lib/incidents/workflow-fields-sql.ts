import { Prisma } from "#lib/generated/prisma/client.ts";
import { WORKFLOW_FIELDS, type WorkflowFields } from "#lib/incidents/workflow-fields.ts";

const FIELDS = Object.entries(WORKFLOW_FIELDS);

export const listWorkflowColumns = (): string[] => FIELDS.map(([, { column }]) => column);

/** SQL that selects the fields of an incident by their names. @param of the incident's alias */
export const selectWorkflowFieldsSql = (of: string): Prisma.Sql =>
  Prisma.raw(
    FIELDS.map(
      ([name, { column, type }]) => `${of}.${column}${type === "date" ? "::text" : ""} as "${name}"`,
    ).join(),
  );

/** SQL that sets the fields' columns. */
export const setWorkflowFieldsSql = (fields: WorkflowFields): Prisma.Sql =>
  Prisma.join(
    FIELDS.map(
      ([name, { column, type }]) =>
        Prisma.sql`${Prisma.raw(column)} = ${fields[name as keyof WorkflowFields]}::${Prisma.raw(type)}`,
    ),
  );
