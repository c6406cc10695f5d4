import fs from "node:fs";
import path from "node:path";
import { parse } from "@babel/parser";
import { expect, test } from "vitest";

/**
 * Every way by which a person begins to read incidents or their numbers passes on what is hidden from whoever lets them
 * (docs/decisions/058), or stands here with the reason why it can't show a hidden incident.
 */

const LIB = path.resolve(import.meta.dirname, "..");

/** Functions that write such a row after they, or the named caller, have run a statement of `access/hidden-sql.ts`. */
const INHERITING: Record<string, string> = {
  "accounts/email-verification.ts markEmailVerified": "markEmailVerified",
  "accounts/identity.ts setUserEmailAndNotifyFormer": "setUserEmailAndNotifyFormer",
  "admin/users.ts changeSystemRoleOrDisabled": "inheritExclusions",
  "events/roles.ts grantRoleInEvent": "grantRoleInEvent",
  "events/roles.ts replaceRoles": "replaceRoles",
  "invites/invites.ts joinEvent": "addMembership",
  "invites/invites.ts joinOrganization": "addMembership",
  "organizations/members.ts addMember": "addMember",
  "organizations/members.ts changeMemberRole": "changeMemberRole",
};

const INDEPENDENT_CONTACT = "no excluded person named or brought in the contact (docs/decisions/066)";

const OTHERS: Record<string, string> = {
  "accounts/tokens.ts createToken": "acts for its person",
  "organizations/service-tokens.ts createServiceToken": "reads nothing that is hidden from anybody",
  "organizations/escalation-contact.ts replaceContact": INDEPENDENT_CONTACT,
  "incidents/submission.ts insertReport": INDEPENDENT_CONTACT,
  "exclusions/referrals.ts referIncident": INDEPENDENT_CONTACT,
  "events/events.ts grantFirstAdmins": "a new event has no incident",
  "events/join.ts joinAsReporter": "a Reporter reads their own reports",
  "incidents/submission.ts buildJoining": "a Reporter reads their own reports",
  "invitations/invitations.ts markRolesAccepted": "the role works since it was granted",
  "registration/registration.ts claimFirst": "the first account, before there is an incident",
  "exclusions/exclusions.ts referIncident":
    "the contact is independent of the excluded people (docs/decisions/066)",
};

/** Fill an empty database, or copy a whole one. */
const WITHOUT_A_GRANTOR = /^(demo|backup)\//;

const WRITES = "create|createMany|createManyAndReturn|upsert|update|updateMany|updateManyAndReturn";
const GRANTS = [
  new RegExp(String.raw`\b(eventRole|organizationMember|incidentReferral)\s*\.(${WRITES})\(`),
  /\b(insert into|update) (event_roles|organization_members|incident_referrals)\b/,
  new RegExp(
    String.raw`\buser\s*\.(${WRITES})\([^;]*\bdata:[^;]*\b(systemAdmin|disabledAt|emailVerifiedAt)\b`,
  ),
  new RegExp(String.raw`\borganization\s*\.(${WRITES})\([^;]*\bescalationContactId\b`),
  /\b(apiToken|serviceToken)\s*\.create\(/,
  /\bupdate users\b[^`]*\bset\b[^`]*\b(system_admin|disabled_at|email_verified_at)\s*=/,
];

type Declaration = { key: string; file: string; name: string; text: string };

function listDeclarations(file: string): Declaration[] {
  const program = fs.readFileSync(path.join(LIB, file), "utf8");
  const { body } = parse(program, { sourceType: "module", plugins: ["typescript"] }).program;
  return body.flatMap((node) => {
    const declaration = node.type === "ExportNamedDeclaration" ? node.declaration : node;
    const names =
      declaration?.type === "FunctionDeclaration"
        ? [declaration.id?.name]
        : declaration?.type === "VariableDeclaration"
          ? declaration.declarations.map(({ id }) => (id.type === "Identifier" ? id.name : undefined))
          : [];
    const text = program.slice(node.start ?? 0, node.end ?? 0);
    return names.flatMap((name) =>
      name === undefined ? [] : [{ key: `${file} ${name}`, file, name, text }],
    );
  });
}

const declarations = fs
  .readdirSync(LIB, { recursive: true })
  .map(String)
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.startsWith("generated/"))
  .filter((file) => !WITHOUT_A_GRANTOR.test(file))
  .flatMap(listDeclarations);

const grants = declarations.filter(({ text }) => GRANTS.some((pattern) => pattern.test(text)));

test("each statement that lets a person read is known, and no listed one is gone", () => {
  expect(grants.map(({ key }) => key).toSorted()).toEqual(
    [...Object.keys(INHERITING), ...Object.keys(OTHERS)].toSorted(),
  );
});

test.each(Object.entries(INHERITING))("%s passes on exclusions", (key, name) => {
  const { file } = declarations.find((declaration) => declaration.key === key) ?? {};
  const found = declarations.find((declaration) => declaration.file === file && declaration.name === name);
  expect(found?.text).toMatch(/\$executeRaw\(\s*inherit\w+Sql\(/);
});

test.each([
  ["a Prisma call", "await tx.eventRole.createMany({ data })"],
  ["a statement", "insert into organization_members (organization_id) values (1)"],
  ["the system role", "tx.user.update({ where: { id }, data: { systemAdmin: true } })"],
  ["a verified address", "tx.user.updateMany({ where, data: { emailVerifiedAt: new Date() } })"],
  ["an enabled account", "`update users set disabled_at = null where id = ${id}`"],
])("%s is found", (_, text) => {
  expect(GRANTS.some((pattern) => pattern.test(text))).toBe(true);
});
