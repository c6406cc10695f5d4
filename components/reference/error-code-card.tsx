import { useTranslator } from "#i18n";
import type { ErrorReferenceEntry } from "#lib/operation/error-reference.ts";

/** One error code of the API reference. Its meaning and the examples are English, as in responses. */
export function ErrorCodeCard({
  entry: { code, meaning, action, examples },
}: {
  entry: ErrorReferenceEntry;
}) {
  const t = useTranslator("reference");
  return (
    <section
      aria-labelledby={code}
      className="grid min-w-0 gap-3 rounded-surface border border-line bg-surface p-4 sm:p-6"
    >
      <h3 id={code} className="scroll-mt-4 text-base">
        <code dir="ltr" className="wrap-anywhere">
          {code}
        </code>
      </h3>
      <p lang="en" dir="ltr" className="text-start">
        {meaning.split("`").map((part, index) => (index % 2 === 1 ? <code key={part}>{part}</code> : part))}
      </p>
      <dl className="grid gap-3 text-sm">
        <div>
          <dt className="text-muted">{t("codesDo")}</dt>
          <dd>{t(`do.${action}`)}</dd>
        </div>
        <div>
          <dt className="text-muted">{t("codesDetails", { count: examples.length })}</dt>
          {examples.map(({ details }) => (
            <dd key={details} lang="en" dir="ltr" className="text-start">
              <code className="wrap-anywhere">{details}</code>
            </dd>
          ))}
        </div>
      </dl>
    </section>
  );
}
