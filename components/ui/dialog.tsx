"use client";

import {
  type ComponentProps,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { useSearchParams } from "next/navigation";
import { flushSync } from "react-dom";
import { buildButtonClass, type ButtonVariant } from "./button.tsx";
import { DialogPanel } from "./dialog-panel.tsx";
import { useHydrated } from "./use-hydrated.ts";

/** The button of a dialog, and the title of the dialog. */
export type DialogTriggerProps = {
  /** Content and style of the button that opens it. Omitted if an `OpenDialogButton` elsewhere does. */
  trigger?: ReactNode;
  variant?: ButtonVariant;
  title: string;
  className?: string;
  /** Id by which an `OpenDialogButton` finds it. */
  id?: string;
  /**
   * False for a dialog that has no button at the moment but stays in the page, because somebody may be typing
   * in it while the page changes. Without script it isn't rendered.
   */
  offered?: boolean;
  /**
   * Whether, without script, a link loads the page with the dialog open (`?dialog=ID`), so that the page needn't hold
   * the contents of all its dialogs twice. Needs `id`.
   */
  isLinked?: boolean;
};

type Props = DialogTriggerProps & {
  /** Initially open, as after a refused submit. */
  open?: boolean;
  /** Closed although the URL asks for it, as after a submit. */
  isDone?: boolean;
  children: ReactNode;
};

/**
 * A native modal dialog with its button. Its content renders when first opened: most dialogs never are, and a
 * page has many. Without script the same content opens in place, under the button, after a page load if the dialog is
 * linked; if that happened before script took over, it stays there, with the text typed so far.
 */
export function Dialog(props: Props) {
  const scripted = useHydrated();
  const [isOpened, setIsOpened] = useState(false);
  const isAsked = useSearchParams().get(DIALOG_PARAM) === props.id && !props.isDone;
  if (scripted && !isOpened) return <Modal {...props} />;
  const isClosed = !props.open && !isAsked && !isOpened;
  if (props.isLinked && isClosed) return <DialogLink {...props} />;
  return <InlineDialog {...props} begun={isOpened || isAsked} onBegun={setIsOpened} />;
}

const DIALOG_PARAM = "dialog";

/** Returns the URL of this page with the dialog open. */
function useDialogHref(id = ""): string {
  const params = new URLSearchParams(useSearchParams());
  params.set(DIALOG_PARAM, id);
  return `?${params}#${id}`;
}

function DialogLink({ id, trigger, variant, className }: Props) {
  const href = useDialogHref(id);
  if (trigger === undefined) return null;
  return (
    <a href={href} className={buildButtonClass(variant, className)}>
      {trigger}
    </a>
  );
}

type ButtonProps = Omit<ComponentProps<"button">, "type" | "onClick"> & {
  /** Id of the dialog. */
  opens: string;
  variant?: ButtonVariant;
};

/** A button that opens a linked dialog elsewhere in the page; without script, a link to it. */
export function OpenDialogButton({ opens, variant, className, children, ...rest }: ButtonProps) {
  const buttonClassName =
    variant === undefined && className ? className : buildButtonClass(variant, className);
  const href = useDialogHref(opens);
  if (!useHydrated())
    return (
      <a href={href} className={buttonClassName}>
        {children}
      </a>
    );
  return (
    <button
      {...rest}
      type="button"
      aria-haspopup="dialog"
      className={buttonClassName}
      onClick={({ currentTarget }) => openModalFrom(currentTarget, document.getElementById(opens))}
    >
      {children}
    </button>
  );
}

/** Tells a dialog to render its content immediately. */
const FILL_EVENT = "heed-fill";

function Modal({ trigger, variant, title, open = false, className, id, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const isFilled = useFilledContent(dialog, open);
  useEffect(() => {
    if (open) openModal(dialog.current);
  }, [open]);
  return (
    <>
      {trigger !== undefined && (
        <button
          type="button"
          aria-haspopup="dialog"
          className={buildButtonClass(variant, className)}
          onClick={() => openModal(dialog.current)}
        >
          {trigger}
        </button>
      )}
      <dialog
        ref={dialog}
        id={id}
        aria-labelledby={isFilled ? heading : undefined}
        className="w-[min(34rem,calc(100vw-2rem))] rounded-surface border border-line bg-surface text-start"
      >
        {isFilled && (
          <DialogPanel title={title} heading={heading} onClose={() => dialog.current?.close()}>
            {children}
          </DialogPanel>
        )}
      </dialog>
    </>
  );
}

/** Presses the quick exit where it shows through the backdrop: a modal dialog makes everything behind it inert. */
function pressQuickExitBehind({ target, currentTarget, clientX, clientY }: MouseEvent): void {
  if (target !== currentTarget) return;
  const exit = document.querySelector<HTMLElement>("[data-exit]");
  const area = exit?.getBoundingClientRect();
  if (!exit || !area) return;
  const isInside =
    clientX >= area.left && clientX <= area.right && clientY >= area.top && clientY <= area.bottom;
  if (isInside) exit.click();
}

/** Returns whether the content is rendered: once the dialog is open, or `FILL_EVENT` has asked for it. */
function useFilledContent(dialog: RefObject<HTMLDialogElement | null>, open: boolean): boolean {
  const [isFilled, setIsFilled] = useState(open);
  if (open && !isFilled) setIsFilled(true);
  useLayoutEffect(() => {
    const fill = () => flushSync(() => setIsFilled(true));
    const element = dialog.current;
    element?.addEventListener(FILL_EVENT, fill);
    return () => element?.removeEventListener(FILL_EVENT, fill);
  }, [dialog]);
  return isFilled;
}

/**
 * Opens the dialog. Once it closes, returns the focus to the button or, if the button's menu has closed since, to the
 * menu.
 */
function openModalFrom(button: HTMLElement, dialog: Element | null): void {
  const restoreFocus = () => {
    if (!button.checkVisibility()) button.closest("details")?.querySelector("summary")?.focus();
  };
  dialog?.addEventListener("close", restoreFocus, { once: true });
  openModal(dialog);
}

const FIELD_SELECTOR = "input:not([type=hidden]), select, textarea";

/** Opens a dialog of the page by its id. Needs script. */
export const openDialog = (id: string): void => openModal(document.getElementById(id));

/** Opens the dialog and focuses its alert or first field instead of the close button. */
function openModal(dialog: Element | null): void {
  if (!(dialog instanceof HTMLDialogElement)) return dialog?.closest("details")?.setAttribute("open", "");
  if (dialog.open) return;
  if (!dialog.hasChildNodes()) dialog.dispatchEvent(new Event(FILL_EVENT));
  dialog.addEventListener("click", pressQuickExitBehind);
  dialog.showModal();
  const body = dialog.querySelector("[data-body]");
  (
    body?.querySelector<HTMLElement>("[role=alert]") ?? body?.querySelector<HTMLElement>(FIELD_SELECTOR)
  )?.focus();
}

type InlineDialogProps = Props & { begun: boolean; onBegun: (isOpened: boolean) => void };

function InlineDialog({
  trigger,
  variant,
  title,
  open = false,
  className,
  id,
  offered = true,
  begun: isOpened,
  onBegun,
  children,
}: InlineDialogProps) {
  const details = useRef<HTMLDetailsElement>(null);
  useLayoutEffect(() => {
    if (details.current?.open && !open) onBegun(true);
  }, [open, onBegun]);
  if (!offered && !open && !isOpened) return null;
  return (
    <details ref={details} open={open || isOpened} className="no-print">
      <summary className={buildButtonClass(variant, className)}>{trigger ?? title}</summary>
      <section
        id={id}
        className="mt-3 grid scroll-mt-32 gap-3 rounded-surface border border-edge bg-surface p-4 sm:p-6"
      >
        <h2 className="text-xl wrap-anywhere">{title}</h2>
        {children}
      </section>
    </details>
  );
}
