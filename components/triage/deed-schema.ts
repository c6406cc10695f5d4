import { z } from "zod";
import { UUID } from "#lib/operation/fields.ts";
import { SEVERITIES, STATES } from "#lib/incidents/schema.ts";
import type { Deed, Matching, RowRef } from "./deeds.ts";

/** What a browser sends of deeds and rows. */

const person = z.union([z.literal(""), z.literal("me"), z.string().regex(UUID)]);

export const DeedSent = z.discriminatedUnion("do", [
  z.object({ do: z.literal("assign"), to: person }),
  z.object({ do: z.literal("acknowledge") }),
  z.object({
    do: z.literal("state"),
    state: z.enum(STATES),
    notes: z.string().exactOptional(),
    assignee: z.string().exactOptional(),
  }),
  z.object({ do: z.literal("restore"), state: z.enum(STATES) }),
  z.object({ do: z.literal("severity"), severity: z.union([z.literal(""), z.enum(SEVERITIES)]) }),
  z.object({ do: z.enum(["pin", "unpin", "unread", "read"]) }),
]) satisfies z.ZodType<Deed>;

export const MatchingSent = z.object({
  query: z.string().max(2000),
  event: z.string().max(100),
}) satisfies z.ZodType<Matching>;

export const RowSent = z.object({
  slug: z.string(),
  id: z.string().regex(UUID),
  eventId: z.string().regex(UUID),
  at: z.string(),
  state: z.enum(STATES),
}) satisfies z.ZodType<RowRef>;
