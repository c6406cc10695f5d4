import type { ReactNode } from "react";
import { useTranslator } from "#i18n";
import { buildButtonClass } from "#components/ui/button-class.ts";
import { addNextParameter } from "#lib/http/next-path.ts";
import {
  circleExclamationPointIcon,
  hourglassIcon,
  keyRoundIcon,
  lockIcon,
  searchXIcon,
  shieldCheckIcon,
  timerResetIcon,
} from "#lib/design/icons.ts";
import { ErrorReference } from "./failure.tsx";
import { MessagePage } from "./message-page.tsx";

type MessageProps = { /** Other links, after the one to the home page. */ actions?: ReactNode };

/** The page doesn't exist or isn't visible to this person; deliberately the same for both. */
export function NotFoundMessage({ actions }: MessageProps) {
  const t = useTranslator("shell");
  return (
    <MessagePage
      icon={searchXIcon}
      title={t("notFound.title")}
      actions={<MessageActions>{actions}</MessageActions>}
    >
      <p>{t("notFound.text")}</p>
    </MessagePage>
  );
}

/** The person is signed in but lacks the role that this page requires. */
export function ForbiddenMessage({ actions }: MessageProps) {
  const t = useTranslator("shell");
  return (
    <MessagePage
      icon={lockIcon}
      title={t("forbidden.title")}
      actions={<MessageActions>{actions}</MessageActions>}
    >
      <p>{t("forbidden.text")}</p>
    </MessagePage>
  );
}

/**
 * The person's role here is withheld until two-factor sign-in is set up. `next` is this page, to return to.
 */
export function SecondFactorRequiredMessage({ next }: { next: string }) {
  const t = useTranslator("shell");
  return (
    <MessagePage
      icon={shieldCheckIcon}
      title={t("factor.title")}
      actions={
        <>
          <a href={addNextParameter("/account/security", next)} className={buildButtonClass("primary")}>
            {t("factor.setUp")}
          </a>
          <a href="/" className={buildButtonClass()}>
            {t("toStart")}
          </a>
        </>
      }
    >
      <p>{t("factor.text")}</p>
    </MessagePage>
  );
}

type SignedOutProps = {
  /** This page. */ next: string;
  /** The texts of a form that was just submitted here. */ texts: string[];
};

/**
 * A form was sent without script after the session had ended. Shows the submitted text for copying; reloading
 * the page after signing in submits it again.
 */
export function FormSentAfterSessionEndedMessage({ next, texts }: SignedOutProps) {
  const t = useTranslator("shell");
  return (
    <MessagePage
      icon={keyRoundIcon}
      title={t("signedOut.title")}
      actions={
        <a
          href={addNextParameter("/login", next)}
          target="_blank"
          rel="noopener"
          className={buildButtonClass("primary")}
        >
          {t("signedOut.signIn")}
        </a>
      }
    >
      <p>{t("signedOut.text")}</p>
      {texts.map((text) => (
        <textarea
          key={text}
          readOnly
          rows={5}
          aria-label={t("signedOut.written")}
          defaultValue={text}
          className="w-full rounded-control border border-edge bg-surface p-3 text-base text-ink"
        />
      ))}
    </MessagePage>
  );
}

type RateLimitedProps = {
  /** When to try again, in words. */ advice: string;
  /** This page. */ next: string;
};

/** Too many requests in a short time. */
export function RateLimitedMessage({ advice, next }: RateLimitedProps) {
  const t = useTranslator("shell");
  return (
    <MessagePage
      icon={timerResetIcon}
      title={t("tooMany.title")}
      actions={
        <>
          <a href={next} className={buildButtonClass("primary")}>
            {t("tryAgain")}
          </a>
          <a href="/" className={buildButtonClass()}>
            {t("toStart")}
          </a>
        </>
      }
    >
      <p>{t("tooMany.text")}</p>
      <p>{advice}</p>
    </MessagePage>
  );
}

type RefusedProps = { title: string; children: ReactNode };

/** A refused request, with the reason that its error gives. */
export function RequestRefusedMessage({ title, children }: RefusedProps) {
  return (
    <MessagePage icon={circleExclamationPointIcon} title={title} actions={<MessageActions />}>
      {children}
    </MessagePage>
  );
}

function MessageActions({ children }: { children?: ReactNode }) {
  const t = useTranslator("shell");
  return (
    <>
      <a href="/" className={buildButtonClass()}>
        {t("toStart")}
      </a>
      {children}
    </>
  );
}

type UnavailableProps = {
  /** Helps the operator to find the error in the log. */ reference?: string;
  actions: ReactNode;
};

/** The service or its database is temporarily unavailable. */
export function ServiceUnavailableMessage({ reference, actions }: UnavailableProps) {
  const t = useTranslator("shell");
  return (
    <MessagePage icon={hourglassIcon} title={t("busy.title")} actions={actions}>
      <p>{t("busy.text")}</p>
      <ErrorReference value={reference} />
    </MessagePage>
  );
}
