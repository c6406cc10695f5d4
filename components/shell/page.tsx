import { unstable_rethrow } from "next/navigation";
import type { ReactNode } from "react";
import { SwitchAccount } from "#components/account/switch-account.tsx";
import { ownExit } from "#components/event/this-event.ts";
import { BesideExit, PlainExit } from "#components/incident/exit-bar.tsx";
import { buttonClass } from "#components/ui/button-class.ts";
import { lostWords, notePageAnswer } from "#lib/http/page-status.ts";
import { currentLocale, currentPath, leftOut, pageCall, viewer } from "#lib/http/page.ts";
import { speak } from "#components/words/in-pages.ts";
import { type AppError, describeError, InvalidInput } from "#lib/operation/errors.ts";
import { onlyReports } from "#lib/operation/policy.ts";
import { problemWords } from "#lib/i18n/problems.ts";
import { useWords } from "#words";
import { ErrorMessage } from "./failure.tsx";
import { LeftOut, SearchRefused } from "./filters.tsx";
import {
  BusyMessage,
  ForbiddenMessage,
  NotFoundMessage,
  RefusedMessage,
  SecondFactorMessage,
  SignedOutMessage,
  TooManyMessage,
} from "./messages.tsx";
import type { NarrowFrame } from "./narrow-frame.tsx";

/**
 * The door of every page: its default export is `page(async function …)`. What the page throws becomes a page that
 * says what is the matter and what to do, with the status that belongs to it. An error boundary can't do that: on the
 * server React has none, and a browser without script would show nothing at all.
 * @param frame goes around those words, for pages that no layout frames.
 */
export function page<Props>(
  render: (props: Props) => ReactNode | Promise<ReactNode>,
  frame?: typeof NarrowFrame,
): (props: Props) => Promise<ReactNode> {
  return async (props) => {
    try {
      speak(await currentLocale(), await currentPath());
      const content = await render(props);
      return isLayout(props) ? content : withLeftOut(content);
    } catch (error) {
      // Redirects, and what else Next tells itself by throwing.
      unstable_rethrow(error);
      return await failed(error, frame);
    }
  };
}

const isLayout = (props: unknown): boolean =>
  typeof props === "object" && props !== null && "children" in props;

/** Above what is shown stands which filters of the address it is shown without. */
function withLeftOut(content: ReactNode): ReactNode {
  const filters = [...leftOut()];
  if (filters.length === 0) return content;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
      <LeftOut filters={filters} />
      {content}
    </div>
  );
}

/** What a page renders, sent with another status than 200. */
export async function withStatus(status: number, content: ReactNode): Promise<ReactNode> {
  notePageAnswer((await pageCall()).requestId, { status, headers: {} });
  return content;
}

async function failed(thrown: unknown, Frame: typeof NarrowFrame | undefined): Promise<ReactNode> {
  const { requestId } = await pageCall();
  const error = describeError(thrown, requestId);
  notePageAnswer(requestId, { status: error.status, headers: error.headers });
  const words = await wordsOf(error, requestId);
  return Frame ? <Frame width="reading">{words}</Frame> : await withWayOut(words);
}

/** A list of reports, or what belongs to an event; the other pages of who only reports have the way out around them. */
const OF_REPORTS = /^\/(?:inbox|e)(?:[/?]|$)/;

/**
 * Who only reports can leave quickly also where a page says what is the matter. It is the plain link: what this module
 * holds is part of every page, and a public one sends no script (decision 018).
 */
async function withWayOut(words: ReactNode): Promise<ReactNode> {
  if (!OF_REPORTS.test(await currentPath())) return words;
  const actor = await viewer().catch(() => null);
  const exit = actor && onlyReports(actor) ? await ownExit(actor).catch(() => null) : null;
  return exit ? <BesideExit exit={<PlainExit event={exit.event} belowBar />}>{words}</BesideExit> : words;
}

async function wordsOf(error: AppError, reference: string): Promise<ReactNode> {
  const path = await currentPath();
  if (error.code === "NOT_FOUND") return <NotFoundMessage actions={await otherAccount(path)} />;
  if (error.code === "FORBIDDEN") return <ForbiddenMessage actions={await otherAccount(path)} />;
  if (error.code === "SECOND_FACTOR_REQUIRED") return <SecondFactorMessage next={path} />;
  if (error.code === "UNAUTHENTICATED")
    return <SignedOutMessage next={path} words={writtenIn(lostWords(reference) ?? {})} />;
  if (error instanceof InvalidInput && error.fields.search !== undefined)
    return <SearchRefused path={path} problem={error.fields.search} />;
  if (error.status < 500) {
    const { title, advice } = problemWords(await currentLocale(), error);
    if (error.code === "RATE_LIMITED") return <TooManyMessage advice={advice} next={path} />;
    return (
      <RefusedMessage title={title.replace(/[.。]$/, "")}>
        <p>{advice}</p>
      </RefusedMessage>
    );
  }
  const Message = error.code === "SERVICE_UNAVAILABLE" ? BusyMessage : ErrorMessage;
  return <Message reference={reference} actions={<TryAgain path={path} />} />;
}

/** What somebody has written themselves, of all that a form holds: what is named so, or has more than one word. */
const writtenIn = (values: Record<string, string>): string[] =>
  Object.entries(values)
    .filter(([name, value]) => /\S\s+\S/.test(value) || (WRITTEN.has(name) && value.trim() !== ""))
    .map(([, value]) => value);

const WRITTEN = new Set(["body", "notes", "title", "name", "description", "resolution", "reason"]);

/** Only who is signed in can be so with the wrong account. */
async function otherAccount(path: string): Promise<ReactNode> {
  return (await viewer()) && <SwitchAccount next={path} />;
}

/** A plain link, which loads the page anew, with script and without. */
function TryAgain({ path }: { path: string }) {
  const t = useWords("shell");
  return (
    <>
      <a href={path} className={buttonClass("primary")}>
        {t("tryAgain")}
      </a>
      <a href="/" className={buttonClass()}>
        {t("toStart")}
      </a>
    </>
  );
}
