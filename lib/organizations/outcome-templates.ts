import { z } from "zod";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { prisma, runTransaction, type Tx } from "#lib/database/client.ts";
import { LOCALES } from "#lib/i18n/locales.ts";
import { createFieldProblem, encodeFieldProblem } from "#lib/i18n/error-text.ts";
import { assertAndLockOrganizationAdmin } from "#lib/organizations/members.ts";
import type { OrganizationPermissionSubject } from "#lib/organizations/scope.ts";
import { InvalidInputError } from "#lib/operation/errors.ts";
import { optionalTextInput } from "#lib/operation/fields.ts";
import type { OperationContext } from "#lib/operation/operation.ts";
import { hasTextGap } from "#lib/operation/text-gaps.ts";
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

const templateBody = optionalTextInput(MAX_OUTCOME_TEMPLATE_LENGTH).meta({
  examples: ["We have talked it over. [What we did]"],
});

/** Templates that aren't given stay unchanged; null or blank text restores the default. */
export const OutcomeTemplatesChangeInput = z.object({
  templates: z
    .array(z.object({ ...place, body: templateBody }), encodeFieldProblem("needsChange"))
    .max(MAX_TEMPLATES, encodeFieldProblem("mustNameAtMost", { max: MAX_TEMPLATES })),
});
type OutcomeTemplatesChangeInput = z.output<typeof OutcomeTemplatesChangeInput>;
type TemplateChange = OutcomeTemplatesChangeInput["templates"][number];

/** Lists the templates that the organization has written. For the others, pages have default texts. */
export async function listOutcomeTemplates(organizationId: string): Promise<OutcomeTemplate[]> {
  const rows = await prisma.outcomeTemplate.findMany({
    where: { organizationId },
    orderBy: [{ locale: "asc" }, { state: "asc" }],
    select: { locale: true, state: true, body: true },
  });
  return z.array(OutcomeTemplate).parse(rows);
}

/**
 * Saves the templates that differ from what is there.
 * @throws InvalidInputError for a new text without a gap, which could be sent unread (contract 7.18)
 */
export async function saveOutcomeTemplates(
  context: OperationContext<OrganizationPermissionSubject, Actor>,
  { templates }: OutcomeTemplatesChangeInput,
): Promise<void> {
  const { organizationId, actor } = context;
  await runTransaction(async (tx) => {
    await assertAndLockOrganizationAdmin(tx, actor, organizationId);
    const saved = await tx.outcomeTemplate.findMany({ where: { organizationId } });
    const isSaved = ({ locale, state, body }: TemplateChange) =>
      (saved.find((one) => one.locale === locale && one.state === state)?.body ?? null) === body;
    const changed = templates.filter((template) => !isSaved(template));
    refuseTextsWithoutGap(templates, changed);
    for (const template of changed) await saveTemplate(tx, organizationId, template);
    if (changed.length > 0) await appendAuditEntry(tx, buildTemplatesAuditEntry(context, changed));
  });
}

function refuseTextsWithoutGap(templates: TemplateChange[], changed: TemplateChange[]): void {
  const withoutGap = changed.filter(({ body }) => body !== null && !hasTextGap(body));
  if (withoutGap.length === 0) return;
  const problem = createFieldProblem("templateNeedsGap");
  throw new InvalidInputError(
    Object.fromEntries(withoutGap.map((one) => [`templates.${templates.indexOf(one)}.body`, problem])),
  );
}

async function saveTemplate(tx: Tx, organizationId: string, template: TemplateChange): Promise<void> {
  const { locale, state, body } = template;
  const key = { organizationId, locale, state };
  if (body === null) await tx.outcomeTemplate.deleteMany({ where: key });
  else
    await tx.outcomeTemplate.upsert({
      where: { organizationId_locale_state: key },
      create: { ...key, body },
      update: { body },
    });
}

const buildTemplatesAuditEntry = (
  context: OperationContext<OrganizationPermissionSubject, Actor>,
  changed: TemplateChange[],
) =>
  buildAuditEntry(
    context,
    "organization.changeOutcomeTemplates",
    { type: "organization", id: context.organizationId },
    { templates: changed.map(({ locale, state }) => `${locale}.${state}`) },
  );
