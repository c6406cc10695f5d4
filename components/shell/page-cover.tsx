import { type ReactNode, type Ref, useId, type MouseEvent } from "react";
import { buildButtonClass } from "#components/ui/button-class.ts";

type Props = {
  ref: Ref<HTMLDialogElement>;
  title: string;
  /** Says why the page is covered, and what the person can do. */
  children: ReactNode;
};

/**
 * A dialog over a page whose content isn't open anymore on this device, since another person may be in front of it.
 * `useLockedDialog` opens it and keeps it open; print style sheets hide the page, too.
 */
export function PageCover({ ref, title, children }: Props) {
  const heading = useId();
  return (
    <dialog
      ref={ref}
      aria-labelledby={heading}
      data-cover=""
      className="w-[min(30rem,calc(100vw-2rem))] rounded-surface border border-line bg-surface text-start backdrop:!bg-paper"
    >
      <div className="grid gap-4 p-4 sm:p-6">
        <h2 id={heading} className="text-xl">
          {title}
        </h2>
        {children}
      </div>
    </dialog>
  );
}

/** `open` labels the link to another tab, `leave` the quick exit, on pages that have one. */
export type ReopenablePageCoverTexts = {
  title: string;
  text: string;
  open: string;
  leave?: string | undefined;
};

type ReopenableProps = {
  ref: Ref<HTMLDialogElement>;
  /** The page that opens again, in another tab, what this one shows. */
  href: string;
  texts: ReopenablePageCoverTexts;
};

/** A cover that disappears once another tab has opened again what the page shows. */
export function ReopenablePageCover({ ref, href, texts: { title, text, open, leave } }: ReopenableProps) {
  return (
    <PageCover ref={ref} title={title}>
      <p>{text}</p>
      <div className="flex flex-wrap gap-3">
        <a href={href} target="_blank" rel="noopener" className={buildButtonClass("primary")}>
          {open}
        </a>
        {leave !== undefined && (
          <a
            href="/leave"
            referrerPolicy="same-origin"
            className={buildButtonClass("danger")}
            onClick={followPageQuickExit}
          >
            {leave}
          </a>
        )}
      </div>
    </PageCover>
  );
}

/** Uses the page's own quick exit if there is one, since it knows its event's exit URL. */
function followPageQuickExit(press: MouseEvent): void {
  const exit = document.querySelector<HTMLElement>("[data-exit]");
  if (!exit) return;
  press.preventDefault();
  exit.click();
}
