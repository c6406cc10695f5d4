import { useTranslator } from "#i18n";
import { UserHtml } from "#components/ui/user-html.tsx";
import { splitConductSections } from "#lib/events/conduct.ts";

/** Number of headings from which a table of contents is shown. */
const MIN_HEADINGS_FOR_CONTENTS = 3;

/** A code of conduct, with a table of contents if it is long. */
export function CodeOfConduct({ text }: { text: string }) {
  const t = useTranslator("visitor");
  const sections = splitConductSections(text);
  const titled = sections.filter(({ title }) => title);
  return (
    <div className="grid gap-6">
      {titled.length >= MIN_HEADINGS_FOR_CONTENTS && (
        <nav aria-label={t("contents")}>
          <p className="text-sm text-muted">{t("contents")}</p>
          <ul>
            {titled.map(({ id, title }) => (
              <li key={id}>
                <a href={`#${id}`} className="text-link inline-flex min-h-11 items-center wrap-anywhere">
                  {title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      )}
      {sections.map(({ id, title, html }) => (
        <section key={id} id={id} dir="auto" className="grid scroll-mt-6 gap-2">
          {title && <h3 className="text-lg">{title}</h3>}
          <UserHtml html={html} />
        </section>
      ))}
    </div>
  );
}
