import { useTranslator } from "#i18n";
import { LocalAddressNotice } from "#components/shell/local-address-notice.tsx";
import type { BreadcrumbItem } from "#components/ui/breadcrumbs.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { CopyField } from "#components/ui/copy-field.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { env } from "#lib/env.ts";

type Props = {
  event: { name: string; slug: string };
  /** Whether anybody can read reports now. */
  isOpen: boolean;
  /** Whether the viewer's own address has to be confirmed first. */
  needsVerification: boolean;
  readers: readonly string[];
  /** How many invites to the team wait. */
  invited: number;
  breadcrumbs: BreadcrumbItem[];
};

/** The end of the setup: whether people can report, their link, and who reads reports. */
export function OpenedEvent({ event, isOpen, needsVerification, breadcrumbs, ...team }: Props) {
  const t = useTranslator("setup");
  const { name, slug } = event;
  return (
    <div className="grid max-w-2xl grid-cols-1 gap-6">
      <PageHeader title={t(isOpen ? "open" : "notOpen", { name })} breadcrumbs={breadcrumbs} />
      {!isOpen && (
        <Notice kind="warning">
          <p>{t(needsVerification ? "notOpen.verify" : "notOpen.accept")}</p>
        </Notice>
      )}
      <LocalAddressNotice />
      <ReportLink slug={slug} />
      <ReadersNow slug={slug} {...team} />
      <ul className="grid">
        <NextLink href={`/e/${slug}/settings#conduct`} label={t("next.conduct")} />
        <NextLink href={`/e/${slug}`} label={t("next.view")} />
      </ul>
    </div>
  );
}

function ReportLink({ slug }: { slug: string }) {
  const t = useTranslator("setup");
  return (
    <Card title={t("link")}>
      <div className="grid gap-4">
        <p className="text-muted">{t("link.about")}</p>
        <CopyField label={t("link.label")} value={`${env().baseUrl}/e/${slug}`} />
        <div className="flex flex-wrap items-center gap-4">
          <img
            src={`/api/events/slug/${slug}/qr`}
            alt={t("qr")}
            width={128}
            height={128}
            className="rounded-control bg-[white] p-1"
          />
          <LinkButton href={`/e/${slug}/invites/poster`} icon="printer">
            {t("poster")}
          </LinkButton>
        </div>
      </div>
    </Card>
  );
}

type ReadersProps = Pick<Props, "readers" | "invited"> & { slug: string };

function ReadersNow({ slug, readers, invited }: ReadersProps) {
  const t = useTranslator("setup");
  return (
    <Card title={t("readersNow")}>
      <div className="grid gap-3">
        {readers.length === 0 ? (
          <p>{t("readersNow.nobody")}</p>
        ) : (
          <ul className="grid gap-1">
            {readers.map((name, at) => (
              <li key={at} className="wrap-anywhere">
                <bdi>{name}</bdi>
              </li>
            ))}
          </ul>
        )}
        {invited > 0 && <p className="text-muted">{t("readersNow.invited", { count: invited })}</p>}
        <TextLink href={`/e/${slug}/invites`} className="inline-flex min-h-11 items-center">
          {t("readersNow.invite")}
        </TextLink>
      </div>
    </Card>
  );
}

function NextLink({ href, label }: { href: string; label: string }) {
  return (
    <li>
      <TextLink href={href} className="inline-flex min-h-11 items-center">
        {label}
      </TextLink>
    </li>
  );
}
