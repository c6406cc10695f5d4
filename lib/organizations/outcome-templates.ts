import { z } from "zod";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { prisma, runTransaction } from "#lib/database/client.ts";
import { LOCALES } from "#lib/i18n/locales.ts";
import { encodeFieldProblem } from "#lib/i18n/error-text.ts";
import { assertAndLockOrganizationAdmin } from "#lib/organizations/members.ts";
import type { OrganizationPermissionSubject } from "#lib/organizations/scope.ts";
import { optionalTextInput } from "#lib/operation/fields.ts";
import type { OperationContext } from "#lib/operation/operation.ts";
import type { Actor } from "#lib/operation/policy.ts";

/**
 * The texts that an organization's teams start from when they write the outcome to a reporter: one for each language
 * and status.
 */

/** Maximum length of a template in characters, like that of the message that it becomes. */
export const MAX_OUTCOME_TEMPLATE_LENGTH = 10_000;
export const INCIDENT_STATES_WITH_OUTCOME = ["resolved", "closed"] as const;
export type IncidentStateWithOutcome = (typeof INCIDENT_STATES_WITH_OUTCOME)[number];

const MAX_TEMPLATES = LOCALES.length * INCIDENT_STATES_WITH_OUTCOME.length;

const place = { locale: z.enum(LOCALES), state: z.enum(INCIDENT_STATES_WITH_OUTCOME) };

export const OutcomeTemplate = z.object({ ...place, body: z.string() });
export type OutcomeTemplate = z.output<typeof OutcomeTemplate>;

/** Templates that aren't given stay unchanged; null or blank text restores the default. */
export const OutcomeTemplatesChangeInput = z.object({
  templates: z
    .array(
      z.object({ ...place, body: optionalTextInput(MAX_OUTCOME_TEMPLATE_LENGTH) }),
      encodeFieldProblem("needsChange"),
    )
    .min(1, encodeFieldProblem("needsChange"))
    .max(MAX_TEMPLATES, encodeFieldProblem("mustNameAtMost", { max: MAX_TEMPLATES })),
});
type OutcomeTemplatesChangeInput = z.output<typeof OutcomeTemplatesChangeInput>;

/** Lists the templates that the organization has written. For the others, pages have default texts. */
export async function listOutcomeTemplates(organizationId: string): Promise<OutcomeTemplate[]> {
  const rows = await prisma.outcomeTemplate.findMany({
    where: { organizationId },
    orderBy: [{ locale: "asc" }, { state: "asc" }],
    select: { locale: true, state: true, body: true },
  });
  return z.array(OutcomeTemplate).parse(rows);
}

export async function saveOutcomeTemplates(
  context: OperationContext<OrganizationPermissionSubject, Actor>,
  { templates }: OutcomeTemplatesChangeInput,
): Promise<void> {
  const { organizationId, actor } = context;
  await runTransaction(async (tx) => {
    await assertAndLockOrganizationAdmin(tx, actor, organizationId);
    for (const { locale, state, body } of templates) {
      const key = { organizationId, locale, state };
      if (body === null) await tx.outcomeTemplate.deleteMany({ where: key });
      else
        await tx.outcomeTemplate.upsert({
          where: { organizationId_locale_state: key },
          create: { ...key, body },
          update: { body },
        });
    }
    await appendAuditEntry(
      tx,
      buildAuditEntry(
        context,
        "organization.changeOutcomeTemplates",
        { type: "organization", id: organizationId },
        { templates: templates.map(({ locale, state }) => `${locale}.${state}`) },
      ),
    );
  });
}
