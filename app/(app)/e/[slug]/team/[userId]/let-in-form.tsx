import { useTranslator } from "#i18n";
import { CompletedActionNotice } from "#components/shell/done-notice.tsx";
import { Card } from "#components/ui/card.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Link } from "#components/ui/link.tsx";
import { isolateBidi } from "#lib/design/bidi.ts";
import { letEventUserInAction } from "../actions.ts";

type Props = {
  hidden: { slug: string; userId: string };
  name: string;
  /** The incidents that the reader of the page reads and the person doesn't; null for whoever can't let anybody in. */
  closed: { incidents: readonly { id: string; title: string }[]; total: number } | null;
  /** `after` in the address. */
  after: unknown;
};

/** Names the hidden incidents that somebody who joined later doesn't read, and lets them in to all. */
export function LetPersonInCard({ hidden, name: personName, closed, after }: Props) {
  const t = useTranslator("eventAdmin");
  const { incidents, total } = closed ?? { incidents: [], total: 0 };
  const name = isolateBidi(personName);
  if (total === 0) return <CompletedActionNotice after={after} messages={{ letIn: t("person.letInDone") }} />;
  return (
    <Card title={t("person.closed", { count: total, name })}>
      <div className="grid gap-3">
        <p>{t("person.closedAbout", { name })}</p>
        <ul className="grid">
          {incidents.map(({ id, title }) => (
            <li key={id}>
              <Link
                href={`/e/${hidden.slug}/i/${id}`}
                className="text-link inline-flex min-h-11 items-center wrap-anywhere"
              >
                <bdi>{title}</bdi>
              </Link>
            </li>
          ))}
        </ul>
        <Form action={letEventUserInAction} hidden={hidden}>
          <FormActions>
            <SubmitButton variant="secondary" pendingLabel={t("person.lettingIn")}>
              {t("person.letIn", { count: incidents.length, name })}
            </SubmitButton>
          </FormActions>
        </Form>
      </div>
    </Card>
  );
}
