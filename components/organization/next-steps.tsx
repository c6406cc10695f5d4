import type { IconName } from "#lib/design/icon-names.ts";
import { useTranslator } from "#i18n";
import { Card } from "#components/ui/card.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Link } from "#components/ui/link.tsx";

export type AdminNextStepData = {
  kind: "team" | "teamless" | "waiting" | "admin" | "secondFactor";
  href: string;
  /** Values that the step's text includes. */
  values: Record<string, string | number>;
};

/** Suggested next steps for an admin; renders nothing if there are none. */
export function AdminNextStepsCard({ steps }: { steps: readonly AdminNextStepData[] }) {
  const t = useTranslator("organization");
  if (steps.length === 0) return null;
  return (
    <Card title={t("next")} padded={false}>
      <ul className="divide-y divide-line border-t border-line">
        {steps.map(({ kind, href, values }) => (
          <li key={href}>
            <Link
              href={href}
              className="group flex min-h-14 items-center gap-3 px-4 py-2 hover:bg-sunken/60 sm:px-6"
            >
              <Icon as={STEP_ICONS[kind]} className="text-muted" />
              <span className="min-w-0 grow">
                <span className="block font-[550] wrap-anywhere text-accent group-hover:underline">
                  {t(`next.${kind}`, values)}
                </span>
                <span className="block text-sm text-muted">{t(`next.${kind}.about`, values)}</span>
              </span>
              <Icon as="chevron-right" className="text-muted rtl:-scale-x-100" />
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}

const STEP_ICONS: Record<AdminNextStepData["kind"], IconName> = {
  team: "users",
  teamless: "users",
  waiting: "inbox",
  admin: "user-plus",
  secondFactor: "shield-check",
};
