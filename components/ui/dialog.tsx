"use client";

import {
  type ComponentProps,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { flushSync } from "react-dom";
import { buttonClass, type ButtonVariant } from "./button.tsx";
import { DialogPanel } from "./dialog-face.tsx";
import { useHydrated } from "./scripted.ts";

/** The button of a dialog, and the words over what it opens. */
export type DialogTriggerProps = {
  /** Words and looks of the button that opens it. Left out where a `DialogButton` elsewhere does. */
  trigger?: ReactNode;
  variant?: ButtonVariant;
  title: string;
  className?: string;
  /** By which a `DialogButton` finds it. */
  id?: string;
  /**
   * False for a dialog that nothing leads to now and that stays in the page all the same, because somebody may be
   * writing in it while the page changes around it. Without script it isn't there.
   */
  offered?: boolean;
};

type Props = DialogTriggerProps & {
  /** Open from the start, as after a refused submit. */
  open?: boolean;
  children: ReactNode;
};

/**
 * A native modal dialog with its button, filled when it is opened first: most are never, and a page has many. Without
 * script the same content opens in place, under the button; what somebody opened there while script was still on its
 * way stays where it is, with what they have written.
 */
export function Dialog(props: Props) {
  const scripted = useHydrated();
  const [isOpened, setIsOpened] = useState(false);
  return scripted && !isOpened ? (
    <Modal {...props} />
  ) : (
    <InlineDialog {...props} begun={isOpened} onBegun={setIsOpened} />
  );
}

type ButtonProps = Omit<ComponentProps<"button">, "type" | "onClick"> & {
  /** Id of the dialog. */
  opens: string;
  variant?: ButtonVariant;
};

/** Opens a dialog that stands elsewhere in the page; without script a link to where it stands. */
export function DialogButton({ opens, variant, className, children, ...rest }: ButtonProps) {
  const looks = variant === undefined && className ? className : buttonClass(variant, className);
  if (!useHydrated())
    return (
      <a href={`#${opens}`} className={looks}>
        {children}
      </a>
    );
  return (
    <button
      {...rest}
      type="button"
      aria-haspopup="dialog"
      className={looks}
      onClick={({ currentTarget }) => openModalFrom(currentTarget, document.getElementById(opens))}
    >
      {children}
    </button>
  );
}

/** Asks a dialog for what is in it, at once. */
const FILL_EVENT = "heed-fill";

function Modal({ trigger, variant, title, open = false, className, id, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const [isFilled, setIsFilled] = useState(open);
  if (open && !isFilled) setIsFilled(true);
  useLayoutEffect(() => {
    const fill = () => flushSync(() => setIsFilled(true));
    const element = dialog.current;
    element?.addEventListener(FILL_EVENT, fill);
    return () => element?.removeEventListener(FILL_EVENT, fill);
  }, []);
  useEffect(() => {
    if (open) openModal(dialog.current);
  }, [open]);
  return (
    <>
      {trigger !== undefined && (
        <button
          type="button"
          aria-haspopup="dialog"
          className={buttonClass(variant, className)}
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

/** The focus comes back to the button, or to the menu that has closed over it meanwhile. */
function openModalFrom(button: HTMLElement, dialog: Element | null): void {
  const restoreFocus = () => {
    if (!button.checkVisibility()) button.closest("details")?.querySelector("summary")?.focus();
  };
  dialog?.addEventListener("close", restoreFocus, { once: true });
  openModal(dialog);
}

const FIELD_SELECTOR = "input:not([type=hidden]), select, textarea";

/** What is to be filled in comes first, and not the button that closes. */
function openModal(dialog: Element | null): void {
  if (!(dialog instanceof HTMLDialogElement)) return dialog?.closest("details")?.setAttribute("open", "");
  if (dialog.open) return;
  if (!dialog.hasChildNodes()) dialog.dispatchEvent(new Event(FILL_EVENT));
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
      <summary className={buttonClass(variant, className)}>{trigger ?? title}</summary>
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
