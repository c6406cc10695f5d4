import type { Metadata } from "next";
import { useTranslator } from "#i18n";
import { OrganizationHeader } from "#components/organization/organization-header.tsx";
import { definePage } from "#components/shell/page.tsx";
import { Button } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { DismissDialogButton } from "#components/ui/dismiss-button.tsx";
import { DefinitionList } from "#components/ui/definition-list.tsx";
import { FileField, TextArea, TextField, SelectField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { FormErrors } from "#components/ui/form-errors.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { showOwnAccount } from "#lib/own-account/operations.ts";
import { throwForbidden, loadOptionalPageData, loadPageData } from "#lib/http/page.ts";
import { toRelativeUrl } from "#lib/design/relative-url.ts";
import { INITIAL_FORM_STATE } from "#lib/design/form-state.ts";
import {
  showOutsidePerson,
  listOrganizationMembers,
  listOutcomeTemplates,
} from "#lib/organizations/operations.ts";
import {
  MAX_ORG_OR_EVENT_DESCRIPTION_LENGTH,
  MAX_ORG_OR_EVENT_NAME_LENGTH,
} from "#lib/organizations/schema.ts";
import { OutcomeTemplatesForm } from "./outcome-templates-form.tsx";
import {
  loadOrganizationPage,
  type OrganizationPageProps,
  loadOrganizationPageMetadata,
} from "../organization.ts";
import {
  deleteOrganizationAction,
  setConflictCheckRequiredAction,
  setSecondFactorRequiredAction,
  updateOrganizationAction,
  saveOutsidePersonAction,
} from "./actions.ts";

const EXAMPLE_SITE = "https://example.org";

const buildOrganizationPath = (slug: string): string => `/orgs/${slug}`;

export const generateMetadata = ({ params }: OrganizationPageProps): Promise<Metadata> =>
  loadOrganizationPageMetadata(params, "settings");

export default definePage(async function Settings({ params, searchParams }: OrganizationPageProps) {
  const { slug } = await params;
  const { organization, may } = await loadOrganizationPage(slug);
  if (!may.edit) throwForbidden();
  const { logo } = await searchParams;
  const [account, { templates }, { outsidePerson }, { members }] = await Promise.all([
    loadOptionalPageData(showOwnAccount),
    loadPageData(listOutcomeTemplates, { orgSlug: slug }),
    loadPageData(showOutsidePerson, { orgSlug: slug }),
    loadPageData(listOrganizationMembers, { orgSlug: slug }),
  ]);
  return (
    <div className="grid grid-cols-1 gap-6">
      <OrganizationHeader organization={organization} current="settings" may={may} />
      <div className="grid max-w-2xl grid-cols-1 gap-6">
        <DetailsForm organization={organization} />
        <LogoForm organization={organization} outcome={typeof logo === "string" ? logo : undefined} />
        <OutcomeTemplatesForm organization={organization} templates={templates} />
        <OutsidePersonForm organization={organization} outsidePerson={outsidePerson} members={members} />
        <SecuritySection organization={organization} own={account?.account.secondFactor.enabled ?? false} />
        <ConflictCheckSection organization={organization} />
        {may.delete && <OrganizationDeletion organization={organization} />}
      </div>
    </div>
  );
});

type Organization = {
  name: string;
  slug: string;
  description: string | null;
  website: string | null;
  logoUrl: string | null;
  requireSecondFactor: boolean;
  conflictCheck: boolean;
  updatedAt: string;
};

function DetailsForm({ organization }: { organization: Organization }) {
  const t = useTranslator("organization");
  return (
    <Card title={t("details")}>
      <div className="grid grid-cols-1 gap-6">
        <DefinitionList
          items={[
            {
              term: t("slug"),
              value: <code className="wrap-anywhere">{buildOrganizationPath(organization.slug)}</code>,
            },
          ]}
        />
        <Form
          action={updateOrganizationAction}
          hidden={{ organization: organization.slug, ifMatch: organization.updatedAt }}
          label={t("details")}
          versions={{
            fields: (["name", "description", "website"] as const).map((name) => ({
              name,
              label: t(name),
              theirs: organization[name] ?? "",
            })),
          }}
        >
          <DetailsFields organization={organization} />
          <FormActions>
            <SubmitButton pendingLabel={t("saving")}>{t("saveDetails")}</SubmitButton>
          </FormActions>
        </Form>
      </div>
    </Card>
  );
}

function DetailsFields({ organization }: { organization: Organization }) {
  const t = useTranslator("organization");
  return (
    <>
      <TextField
        name="name"
        label={t("name")}
        defaultValue={organization.name}
        maxLength={MAX_ORG_OR_EVENT_NAME_LENGTH}
        autoComplete="off"
        required
      />
      <TextArea
        name="description"
        label={t("description")}
        defaultValue={organization.description ?? undefined}
        maxLength={MAX_ORG_OR_EVENT_DESCRIPTION_LENGTH}
        rows={3}
        count
      />
      <TextField
        name="website"
        type="url"
        label={t("website")}
        defaultValue={organization.website ?? undefined}
        placeholder={EXAMPLE_SITE}
        maxLength={500}
        autoComplete="off"
      />
    </>
  );
}

/** A plain form that posts to its own route: a file is too large for a server action. */
function LogoForm({ organization, outcome }: { organization: Organization; outcome: string | undefined }) {
  const t = useTranslator("organization");
  const failed = outcome !== undefined && outcome !== "saved";
  const error = failed ? t(`logo.${LOGO_PROBLEMS.find((code) => code === outcome) ?? "OTHER"}`) : undefined;
  return (
    <Card title={t("logo")} id="logo">
      <form
        method="post"
        action={`/orgs/${organization.slug}/settings/logo`}
        encType="multipart/form-data"
        aria-label={t("logo")}
        className="grid gap-5"
      >
        <FormErrors formId="logo" state={error ? { ok: false, error } : INITIAL_FORM_STATE} autoFocus />
        {outcome === "saved" && (
          <Notice kind="success" live>
            <p>{t("logo.saved")}</p>
          </Notice>
        )}
        <CurrentLogo organization={organization} />
        <FileField
          name="logo"
          label={t(organization.logoUrl ? "logo.another" : "logo.picture")}
          hint={t("logo.about")}
          accept="image/png,image/jpeg,image/webp"
          error={error}
          required
        />
        <FormActions>
          <Button type="submit" icon="upload">
            {t("logo.save")}
          </Button>
        </FormActions>
      </form>
    </Card>
  );
}

function CurrentLogo({ organization: { name, logoUrl } }: { organization: Organization }) {
  const t = useTranslator("organization");
  if (!logoUrl) return <p className="text-muted">{t("logo.none")}</p>;
  return (
    <img
      src={toRelativeUrl(logoUrl)}
      alt={t("logo.of", { name })}
      className="max-h-28 max-w-full justify-self-start rounded-control border border-line bg-surface object-contain p-2"
    />
  );
}

const LOGO_PROBLEMS = [
  "VALIDATION_ERROR",
  "PAYLOAD_TOO_LARGE",
  "IMAGE_TOO_LARGE",
  "UNSUPPORTED_FILE_TYPE",
  "RATE_LIMITED",
  "STORAGE_UNAVAILABLE",
  "FORBIDDEN",
] as const;

/**
 * An admin who requires two-factor sign-in must use it, so as not to be locked out; without it, the page
 * links to its setup instead.
 */
function SecuritySection({ organization, own }: { organization: Organization; own: boolean }) {
  const t = useTranslator("organization");
  const on = organization.requireSecondFactor;
  return (
    <Card title={t("security")} id="security">
      <div className="grid justify-items-start gap-4">
        <p>{t(on ? "security.on" : "security.off")}</p>
        <p className="text-muted">{t("security.about")}</p>
        {on || own ? (
          <Form
            action={setSecondFactorRequiredAction}
            hidden={{ organization: organization.slug, require: String(!on) }}
            label={t("security")}
            {...(on ? {} : { dialog: { trigger: t("security.require"), title: t("security.sure") } })}
          >
            {!on && <p>{t("security.sure.about")}</p>}
            <FormActions>
              <SubmitButton variant={on ? "secondary" : "primary"} pendingLabel={t("saving")}>
                {t(on ? "security.release" : "security.do")}
              </SubmitButton>
            </FormActions>
          </Form>
        ) : (
          <p>
            {t.rich("security.first", {
              link: (chunks) => (
                <TextLink key="link" href="/account/security">
                  {chunks}
                </TextLink>
              ),
            })}
          </p>
        )}
      </div>
    </Card>
  );
}

function ConflictCheckSection({ organization }: { organization: Organization }) {
  const t = useTranslator("organization");
  const on = organization.conflictCheck;
  return (
    <Card title={t("conflictCheck")} id="conflict-check">
      <div className="grid justify-items-start gap-4">
        <p>{t(on ? "conflictCheck.on" : "conflictCheck.off")}</p>
        <p className="max-w-[68ch] text-muted">{t("conflictCheck.about")}</p>
        <Form
          action={setConflictCheckRequiredAction}
          hidden={{ organization: organization.slug, require: String(!on) }}
          label={t("conflictCheck")}
        >
          <FormActions>
            <SubmitButton variant={on ? "secondary" : "primary"} pendingLabel={t("saving")}>
              {t(on ? "conflictCheck.release" : "conflictCheck.do")}
            </SubmitButton>
          </FormActions>
        </Form>
      </div>
    </Card>
  );
}

function OrganizationDeletion({ organization }: { organization: Organization }) {
  const t = useTranslator("organization");
  return (
    <Card title={t("delete")}>
      <div className="grid gap-4">
        <p className="text-muted">{t("delete.about")}</p>
        <div>
          <DeletionForm organization={organization} />
        </div>
      </div>
    </Card>
  );
}

function DeletionForm({ organization }: { organization: Organization }) {
  const t = useTranslator("organization");
  return (
    <Form
      action={deleteOrganizationAction}
      hidden={{ organization: organization.slug, expected: organization.name }}
      label={t("delete")}
      dialog={{
        trigger: t("delete.open"),
        variant: "danger",
        title: t("delete.title", { name: organization.name }),
      }}
    >
      <p>
        {t.rich("delete.confirm", {
          name: () => (
            <strong key="name" className="wrap-anywhere">
              {organization.name}
            </strong>
          ),
        })}
      </p>
      <TextField
        name="confirmation"
        label={t("delete.name")}
        autoComplete="off"
        spellCheck={false}
        required
      />
      <FormActions>
        <SubmitButton variant="danger" pendingLabel={t("delete.pending")}>
          <Icon as="trash" /> {t("delete.do")}
        </SubmitButton>
        <DismissDialogButton outcome="keep" />
      </FormActions>
    </Form>
  );
}

type Props = {
  organization: { slug: string };
  outsidePerson: { id: string } | null;
  members: readonly { user: { id: string; name: string }; invited: boolean }[];
};

/** The form for the outside person, who reads the reports that are hidden from everybody on the response team. */
function OutsidePersonForm({ organization, outsidePerson, members }: Props) {
  const t = useTranslator("organization");
  const options = members
    .filter(({ invited }) => !invited)
    .map(({ user }) => ({ value: user.id, label: user.name }));
  return (
    <Card title={t("outsidePerson.title")} id="outside-person">
      <div className="grid grid-cols-1 gap-4">
        <p className="text-muted">{t("outsidePerson.about")}</p>
        <Form
          action={saveOutsidePersonAction}
          hidden={{ organization: organization.slug }}
          label={t("outsidePerson.title")}
        >
          <SelectField
            name="userId"
            label={t("outsidePerson.person")}
            prompt={t("outsidePerson.nobody")}
            options={options}
            defaultValue={outsidePerson?.id}
            markOptional={false}
          />
          <FormActions>
            <SubmitButton pendingLabel={t("saving")}>{t("outsidePerson.save")}</SubmitButton>
          </FormActions>
        </Form>
      </div>
    </Card>
  );
}
