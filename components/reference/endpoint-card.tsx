import { useTranslator } from "#i18n";
import { Badge } from "#components/ui/badge.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import type { ApiReferenceEndpoint, ApiReferenceField } from "#lib/http/api-reference.ts";
import { CodeBlock } from "./code.tsx";

/** One endpoint of the API reference. */
export function EndpointCard({ endpoint }: { endpoint: ApiReferenceEndpoint }) {
  const t = useTranslator("reference");
  const { id, summary, access, query, headers, body } = endpoint;
  return (
    <section
      aria-labelledby={`${id} ${id}-path`}
      className="grid min-w-0 scroll-mt-4 gap-4 rounded-surface border border-line bg-surface p-4 sm:p-6"
    >
      <h2 id={id} className="text-lg" lang="en">
        {summary}
      </h2>
      <EndpointPaths endpoint={endpoint} />
      <p className="text-sm text-muted">
        {t("access")}: {t(`access.${access}`)}
      </p>
      <CodeBlock>{endpoint.curl}</CodeBlock>
      {query.length > 0 && <FieldTable title={t("query")} fields={query} />}
      {headers.length > 0 && <FieldTable title={t("headers")} fields={headers} />}
      {body && body.fields.length > 0 && (
        <FieldTable title={t("body", { type: body.type })} fields={body.fields} />
      )}
      <EndpointResponse endpoint={endpoint} />
    </section>
  );
}

function EndpointPaths({ endpoint: { id, method, path, also } }: { endpoint: ApiReferenceEndpoint }) {
  const t = useTranslator("reference");
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Badge tone={method === "GET" ? "public" : method === "DELETE" ? "danger" : "accent"} icon={null}>
          {method}
        </Badge>
        <code id={`${id}-path`} dir="ltr" className="min-w-0 wrap-anywhere">
          {path}
        </code>
      </div>
      {also.length > 0 && (
        <p className="text-sm text-muted">
          {t("also")}{" "}
          {also.map((other) => (
            <code key={other} dir="ltr" className="me-3 wrap-anywhere">
              {other}
            </code>
          ))}
        </p>
      )}
    </>
  );
}

function EndpointResponse({ endpoint: { status, answer, answerTypes } }: { endpoint: ApiReferenceEndpoint }) {
  const t = useTranslator("reference");
  const title = t("answer", { status });
  const others = answerTypes.filter((type) => type !== "application/json");
  return (
    <>
      {answer.length > 0 ? (
        <FieldTable title={title} fields={answer} />
      ) : (
        <p className="text-sm text-muted">
          {title}. {answerTypes.length === 0 ? t("noAnswer") : others.length === 0 && t("anyAnswer")}
        </p>
      )}
      {others.length > 0 && (
        <p className="text-sm text-muted">{t("answerTypes", { types: others.join(", ") })}</p>
      )}
    </>
  );
}

function FieldTable({ title, fields }: { title: string; fields: readonly ApiReferenceField[] }) {
  const t = useTranslator("reference");
  return (
    <Disclosure summary={`${title} (${fields.length})`}>
      <ul className="divide-y divide-line text-sm">
        {fields.map(({ name, type, required, about }) => (
          <li key={name} className="grid gap-x-4 py-2 sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
            <code dir="ltr" className="wrap-anywhere">
              {name}
            </code>
            <span className="min-w-0 text-muted wrap-anywhere" dir="ltr">
              {type}
              {required && <span className="text-ink"> · {t("required")}</span>}
              {about && ` · ${about}`}
            </span>
          </li>
        ))}
      </ul>
    </Disclosure>
  );
}
