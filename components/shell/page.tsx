import { unstable_rethrow } from "next/navigation";
import type { ReactNode } from "react";
import { SwitchAccount } from "#components/account/switch-account.tsx";
import { buttonClass, LinkButton } from "#components/ui/button.tsx";
import { notePageAnswer } from "#lib/api/page-answers.ts";
import { currentPath, pageCall, viewer } from "#lib/api/page.ts";
import { type AppError, describeError } from "#lib/errors.ts";
import {
  BusyMessage,
  ErrorMessage,
  ForbiddenMessage,
  NotFoundMessage,
  RefusedMessage,
  SecondFactorMessage,
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
      return await render(props);
    } catch (error) {
      // Redirects, and what else Next tells itself by throwing.
      unstable_rethrow(error);
      return await failed(error, frame);
    }
  };
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
  return Frame ? <Frame width="reading">{words}</Frame> : words;
}

async function wordsOf(error: AppError, reference: string): Promise<ReactNode> {
  const path = await currentPath();
  if (error.code === "NOT_FOUND") return <NotFoundMessage actions={await otherAccount(path)} />;
  if (error.code === "FORBIDDEN") return <ForbiddenMessage actions={await otherAccount(path)} />;
  if (error.code === "SECOND_FACTOR_REQUIRED") return <SecondFactorMessage next={path} />;
  if (error.status < 500)
    return (
      <RefusedMessage title={error.message.replace(/\.$/, "")}>
        <p>{error.details}</p>
      </RefusedMessage>
    );
  const Message = error.code === "SERVICE_UNAVAILABLE" ? BusyMessage : ErrorMessage;
  return <Message reference={reference} actions={<TryAgain path={path} />} />;
}

/** Only who is signed in can be so with the wrong account. */
async function otherAccount(path: string): Promise<ReactNode> {
  return (await viewer()) && <SwitchAccount next={path} />;
}

/** A plain link, which loads the page anew, with script and without. */
function TryAgain({ path }: { path: string }) {
  return (
    <>
      <a href={path} className={buttonClass("primary")}>
        Try again
      </a>
      <LinkButton href="/">Go to the start page</LinkButton>
    </>
  );
}
