import { z } from "zod";
import { UUID_PATTERN } from "#lib/operation/fields.ts";
import { SEVERITIES, INCIDENT_STATES } from "#lib/incidents/schema.ts";
import type { BulkAction, MatchingRowsQuery, IncidentRowSnapshot } from "./bulk-actions.ts";

/** Validates the actions and rows that a browser sends. */

const assigneeSchema = z.union([z.literal(""), z.literal("me"), z.string().regex(UUID_PATTERN)]);

export const bulkActionSchema = z.discriminatedUnion("do", [
  z.object({ do: z.literal("assign"), to: assigneeSchema }),
  z.object({ do: z.literal("acknowledge") }),
  z.object({
    do: z.literal("state"),
    state: z.enum(INCIDENT_STATES),
    notes: z.string().exactOptional(),
    assignee: z.string().exactOptional(),
  }),
  z.object({ do: z.literal("undo") }),
  z.object({ do: z.literal("severity"), severity: z.union([z.literal(""), z.enum(SEVERITIES)]) }),
  z.object({ do: z.enum(["pin", "unpin", "unread", "read"]) }),
]) satisfies z.ZodType<BulkAction>;

export const matchingRowsQuerySchema = z.object({
  query: z.string().max(2000),
  event: z.string().max(100),
}) satisfies z.ZodType<MatchingRowsQuery>;

export const incidentRowSnapshotSchema = z.object({
  slug: z.string(),
  id: z.string().regex(UUID_PATTERN),
  eventId: z.string().regex(UUID_PATTERN),
  at: z.string(),
  state: z.enum(INCIDENT_STATES),
}) satisfies z.ZodType<IncidentRowSnapshot>;
