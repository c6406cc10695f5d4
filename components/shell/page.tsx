import { unstable_rethrow } from "next/navigation";
import type { ReactNode } from "react";
import { SwitchAccountForm } from "#components/account/switch-account.tsx";
import { loadQuickExitTargetOutsideEvents } from "#components/event/event-data.ts";
import { QuickExitLayout, QuickExitBarWithoutScript } from "#components/incident/exit-bar.tsx";
import { buildButtonClass } from "#components/ui/button-class.ts";
import { findExpiredSessionFormValues, recordPageStatusAndHeaders } from "#lib/http/page-status.ts";
import {
  getCurrentLocale,
  getCurrentPageContext,
  getCurrentPathAndQuery,
  getIgnoredPageFilterNames,
  createPageCallContext,
  getCurrentActor,
} from "#lib/http/page.ts";
import { setPageLanguagePathAndReader } from "#components/i18n/server-translator.ts";
import { type AppError, toAppError, InvalidInputError } from "#lib/operation/errors.ts";
import { isReporterOnly } from "#lib/operation/policy.ts";
import { describeProblem } from "#lib/i18n/problems.ts";
import { useTranslator } from "#i18n";
import { ServerErrorMessage } from "./failure.tsx";
import { IgnoredFiltersNotice, InvalidSearchNoticeAndForm } from "./filters.tsx";
import {
  ServiceUnavailableMessage,
  ForbiddenMessage,
  NotFoundMessage,
  RequestRefusedMessage,
  SecondFactorRequiredMessage,
  FormSentAfterSessionEndedMessage,
  RateLimitedMessage,
} from "./messages.tsx";
import type { NarrowFrame } from "./narrow-frame.tsx";

/**
 * Wraps the default export of every page: `definePage(async function …)`. Turns a thrown error into a page
 * that says what happened and what to do, with the matching status. An error boundary can't do this: React
 * has none on the server, and a browser without script would show nothing at all.
 * @param frame wraps the error message, for pages without a layout's frame
 */
export function definePage<Props>(
  render: (props: Props) => ReactNode | Promise<ReactNode>,
  frame?: typeof NarrowFrame,
): (props: Props) => Promise<ReactNode> {
  return async (props) => {
    try {
      setPageLanguagePathAndReader(await getCurrentPageContext());
      const content = await render(props);
      return isLayout(props) ? content : addIgnoredFiltersNotice(content);
    } catch (error) {
      // Redirects and other control flow that Next implements by throwing.
      unstable_rethrow(error);
      return await renderFailure(error, frame);
    }
  };
}

const isLayout = (props: unknown): boolean =>
  typeof props === "object" && props !== null && "children" in props;

/** Names the ignored filters of the URL above the content. */
function addIgnoredFiltersNotice(content: ReactNode): ReactNode {
  const filters = [...getIgnoredPageFilterNames()];
  if (filters.length === 0) return content;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
      <IgnoredFiltersNotice filters={filters} />
      {content}
    </div>
  );
}

/** Sends a page's content with a status other than 200. */
export async function renderWithStatus(status: number, content: ReactNode): Promise<ReactNode> {
  recordPageStatusAndHeaders((await createPageCallContext()).requestId, { status, headers: {} });
  return content;
}

async function renderFailure(thrown: unknown, Frame: typeof NarrowFrame | undefined): Promise<ReactNode> {
  const { requestId } = await createPageCallContext();
  const error = toAppError(thrown, requestId);
  recordPageStatusAndHeaders(requestId, { status: error.status, headers: error.headers });
  const message = await renderErrorMessage(error, requestId);
  return Frame ? <Frame width="reading">{message}</Frame> : await addQuickExit(message);
}

/**
 * Lists of reports and pages of an event. On other pages of people who only report, the quick exit is already
 * around the content.
 */
const REPORT_PATH_PATTERN = /^\/(?:inbox|e)(?:[/?]|$)/;

/**
 * Adds the quick exit to error messages for people who only report. It is the plain link, because this module
 * is part of every page, and public pages send no script (docs/performance.md).
 */
async function addQuickExit(content: ReactNode): Promise<ReactNode> {
  if (!REPORT_PATH_PATTERN.test(await getCurrentPathAndQuery())) return content;
  const actor = await getCurrentActor().catch(() => null);
  const exit =
    actor && isReporterOnly(actor) ? await loadQuickExitTargetOutsideEvents(actor).catch(() => null) : null;
  return exit ? (
    <QuickExitLayout exit={<QuickExitBarWithoutScript event={exit.event} belowBar />}>
      {content}
    </QuickExitLayout>
  ) : (
    content
  );
}

async function renderErrorMessage(error: AppError, reference: string): Promise<ReactNode> {
  const path = await getCurrentPathAndQuery();
  if (error.code === "NOT_FOUND") return <NotFoundMessage actions={await renderSwitchAccount(path)} />;
  if (error.code === "FORBIDDEN") return <ForbiddenMessage actions={await renderSwitchAccount(path)} />;
  if (error.code === "SECOND_FACTOR_REQUIRED") return <SecondFactorRequiredMessage next={path} />;
  if (error.code === "UNAUTHENTICATED")
    return (
      <FormSentAfterSessionEndedMessage
        next={path}
        texts={listWrittenTexts(findExpiredSessionFormValues(reference) ?? {})}
      />
    );
  if (error instanceof InvalidInputError && error.fields.search !== undefined)
    return <InvalidSearchNoticeAndForm path={path} problem={error.fields.search} />;
  if (error.status < 500) {
    const { title, advice } = describeProblem(await getCurrentLocale(), error);
    if (error.code === "RATE_LIMITED") return <RateLimitedMessage advice={advice} next={path} />;
    return (
      <RequestRefusedMessage title={title.replace(/[.。]$/, "")}>
        <p>{advice}</p>
      </RequestRefusedMessage>
    );
  }
  const Message = error.code === "SERVICE_UNAVAILABLE" ? ServiceUnavailableMessage : ServerErrorMessage;
  return <Message reference={reference} actions={<RetryLink path={path} />} />;
}

/** Returns the texts that the person wrote themselves: fields named here, or values of more than one word. */
const listWrittenTexts = (values: Record<string, string>): string[] =>
  Object.entries(values)
    .filter(([name, value]) => /\S\s+\S/.test(value) || (WRITTEN_FIELDS.has(name) && value.trim() !== ""))
    .map(([, value]) => value);

const WRITTEN_FIELDS = new Set(["body", "notes", "title", "name", "description", "resolution", "reason"]);

/** Only a signed-in person can be on the wrong account. */
async function renderSwitchAccount(path: string): Promise<ReactNode> {
  return (await getCurrentActor()) && <SwitchAccountForm next={path} />;
}

/** A plain link, which reloads the page with and without script. */
function RetryLink({ path }: { path: string }) {
  const t = useTranslator("shell");
  return (
    <>
      <a href={path} className={buildButtonClass("primary")}>
        {t("tryAgain")}
      </a>
      <a href="/" className={buildButtonClass()}>
        {t("toStart")}
      </a>
    </>
  );
}
