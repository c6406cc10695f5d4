import { z } from "zod";
import { incidentStateSchema, severitySchema } from "#lib/incidents/schema.ts";
import { convertBlankToNull, idInput, idOutput, textInput, timeOutput } from "#lib/operation/fields.ts";

/** Shapes of exclusions: people who must not see an incident (contract 16). */

/** In characters. */
const MAX_REASON_LENGTH = 500;

export const EXCLUSION_SOURCES = ["reporter", "team", "recusal"] as const;

const Exclusion = z.object({
  /** Null when the account was deleted. */
  person: z.object({ id: idOutput, name: z.string() }).nullable(),
  /** The author of the exclusion: the reporter, an Admin of the event, or the person themselves (a recusal). */
  source: z.enum(EXCLUSION_SOURCES),
  /** The reason that the Admin or the recused person wrote; for the team only. */
  reason: z.string().nullable(),
  /**
   * Whether nobody is known to have decided about the person: the service copied the exclusion when they got access
   * through an invite or from somebody who is excluded themself, or repeated an exclusion by the team after a restore.
   */
  inherited: z.boolean(),
  /** Whether the reader may lift the exclusion. */
  canLift: z.boolean(),
  /** Until when the person sees the incident after all, as a SystemAdmin who gave a reason; null otherwise. */
  openedUntil: timeOutput.nullable(),
  createdAt: timeOutput,
});

export const ExclusionList = z.object({
  exclusions: z.array(Exclusion),
  /** The escalation contact, who reads the incident when nobody on the team may; null otherwise. */
  referredTo: z.object({ id: idOutput, name: z.string() }).nullable(),
  /** Whether anybody on the team, or the escalation contact, can read the incident at present. */
  hasReader: z.boolean(),
  /** Members of the organization who aren't on the team; empty unless the reader may hide the incident from them. */
  organizationMembers: z.array(z.object({ id: idOutput, name: z.string() })),
});
export type ExclusionListRecord = z.input<typeof ExclusionList>;
export type ExclusionRecord = z.input<typeof Exclusion>;

const optionalReason = z
  .preprocess(convertBlankToNull, textInput(1, MAX_REASON_LENGTH).nullable())
  .default(null);

export const NewExclusionInput = z.object({ userId: idInput, reason: optionalReason });
export type NewExclusionInput = z.output<typeof NewExclusionInput>;

export const NewRecusalInput = z.object({ reason: optionalReason });

export const BreakGlassOpeningInput = z.object({
  incidentId: idInput,
  reason: textInput(10, MAX_REASON_LENGTH),
});
export type BreakGlassOpeningInput = z.output<typeof BreakGlassOpeningInput>;

export const BreakGlassResponse = z.object({
  eventSlug: z.string(),
  incidentId: idOutput,
  /** When the incident is hidden again. */
  openedUntil: timeOutput,
});

export const ReferralList = z.object({
  referrals: z.array(
    z.object({
      id: idOutput,
      title: z.string(),
      state: incidentStateSchema,
      severity: severitySchema.nullable(),
      createdAt: timeOutput,
      event: z.object({ id: idOutput, name: z.string(), slug: z.string() }),
    }),
  ),
});
export type ReferralRecord = z.input<typeof ReferralList>["referrals"][number];

export const IncidentWithoutReaderList = z.object({
  incidents: z.array(
    z.object({
      id: idOutput,
      createdAt: timeOutput,
      event: z.object({ id: idOutput, name: z.string(), slug: z.string() }),
      organization: z.object({ name: z.string(), slug: z.string() }),
    }),
  ),
});
export type IncidentWithoutReaderRecord = z.input<typeof IncidentWithoutReaderList>["incidents"][number];
