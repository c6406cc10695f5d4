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
import { DialogFace } from "./dialog-face.tsx";
import { useScripted } from "./scripted.ts";

/** The button of a dialog, and the words over what it opens. */
export type DialogDoor = {
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

type Props = DialogDoor & {
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
  const scripted = useScripted();
  const [begun, setBegun] = useState(false);
  return scripted && !begun ? <Modal {...props} /> : <InPlace {...props} begun={begun} onBegun={setBegun} />;
}

type ButtonProps = Omit<ComponentProps<"button">, "type" | "onClick"> & {
  /** Id of the dialog. */
  opens: string;
  variant?: ButtonVariant;
};

/** Opens a dialog that stands elsewhere in the page; without script a link to where it stands. */
export function DialogButton({ opens, variant, className, children, ...rest }: ButtonProps) {
  const looks = variant === undefined && className ? className : buttonClass(variant, className);
  if (!useScripted())
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
      onClick={({ currentTarget }) => openFrom(currentTarget, document.getElementById(opens))}
    >
      {children}
    </button>
  );
}

/** Asks a dialog for what is in it, at once. */
const FILL = "heed-fill";

function Modal({ trigger, variant, title, open = false, className, id, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const [filled, setFilled] = useState(open);
  if (open && !filled) setFilled(true);
  useLayoutEffect(() => {
    const fill = () => flushSync(() => setFilled(true));
    const element = dialog.current;
    element?.addEventListener(FILL, fill);
    return () => element?.removeEventListener(FILL, fill);
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
        aria-labelledby={filled ? heading : undefined}
        className="w-[min(34rem,calc(100vw-2rem))] rounded-surface border border-line bg-surface text-start"
      >
        {filled && (
          <DialogFace title={title} heading={heading} onClose={() => dialog.current?.close()}>
            {children}
          </DialogFace>
        )}
      </dialog>
    </>
  );
}

/** The focus comes back to the button, or to the menu that has closed over it meanwhile. */
function openFrom(button: HTMLElement, dialog: Element | null): void {
  const back = () => {
    if (!button.checkVisibility()) button.closest("details")?.querySelector("summary")?.focus();
  };
  dialog?.addEventListener("close", back, { once: true });
  openModal(dialog);
}

const FIELDS = "input:not([type=hidden]), select, textarea";

/** What is to be filled in comes first, and not the button that closes. */
function openModal(dialog: Element | null): void {
  if (!(dialog instanceof HTMLDialogElement)) return dialog?.closest("details")?.setAttribute("open", "");
  if (dialog.open) return;
  if (!dialog.hasChildNodes()) dialog.dispatchEvent(new Event(FILL));
  dialog.showModal();
  const body = dialog.querySelector("[data-body]");
  (body?.querySelector<HTMLElement>("[role=alert]") ?? body?.querySelector<HTMLElement>(FIELDS))?.focus();
}

type InPlaceProps = Props & { begun: boolean; onBegun: (begun: boolean) => void };

function InPlace({
  trigger,
  variant,
  title,
  open = false,
  className,
  id,
  offered = true,
  begun,
  onBegun,
  children,
}: InPlaceProps) {
  const details = useRef<HTMLDetailsElement>(null);
  useLayoutEffect(() => {
    if (details.current?.open && !open) onBegun(true);
  }, [open, onBegun]);
  if (!offered && !open && !begun) return null;
  return (
    <details ref={details} open={open || begun} className="no-print">
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
