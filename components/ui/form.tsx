"use client";

import clsx from "clsx";
import { unstable_rethrow } from "next/navigation";
import {
  type ComponentProps,
  type FormEvent,
  type ReactNode,
  type RefObject,
  startTransition,
  useActionState,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { countFormContentBytes, MAX_FORM_CONTENT_BYTES } from "#lib/design/form-size.ts";
import {
  type FormState,
  isFormSubmissionRejected,
  collectRestorableFormValues,
  INITIAL_FORM_STATE,
} from "#lib/design/form-state.ts";
import { useTranslator } from "#i18n";
import { Button } from "./button.tsx";
import { Dialog, type DialogTriggerProps } from "./dialog.tsx";
import { FormContext, useFormContext } from "./form-context.ts";
import { FormErrors } from "./form-errors.tsx";
import { HiddenInputs } from "./hidden-inputs.tsx";
import { FormSuccess } from "./form-success.tsx";
import { FormConflictComparison, type FormConflictVersionsData } from "./versions.tsx";

type Props = {
  /**
   * A server action. Context besides the fields goes into `hidden`, never into `.bind`: `submitFormToOperation` reads
   * only the form's values, and a form that is shown again after sign-in has no others.
   */
  action: (state: FormState, form: FormData) => Promise<FormState>;
  /** Hidden inputs by name; null and undefined are omitted. */
  hidden?: Record<string, string | null | undefined>;
  /** State of a form that was refused without script, to show its text again, for example after sign-in. */
  returned?: FormState | null;
  /** Clears the fields after success, if the page stays. */
  resetOnSuccess?: boolean;
  /** Label of the form, for screen reader navigation. */
  label?: string;
  /** Puts the form into a dialog with a button. Stays open after a refusal, also without script. */
  dialog?: DialogTriggerProps;
  /** Current values to show next to the submitted ones after a conflict. */
  versions?: FormConflictVersionsData;
  /** Id for buttons elsewhere in the page that belong to the form. */
  id?: string;
  /** "off" where the browser must not put back text by itself. */
  autoComplete?: "off";
  className?: string;
  children: ReactNode;
};

/**
 * A form for a server action. Without script it is posted, and comes back with its errors and text. With
 * script nothing is lost, including chosen files; a second submit is ignored while the first is pending; and
 * errors take the focus.
 */
export function Form({ hidden = {}, label, dialog, versions, className, children, ...props }: Props) {
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const { state, pending, dispatch, submit, discarded, discard } = useFormSubmission(props);
  const errors = useFormResult(form, { state, discarded, resetOnSuccess: props.resetOnSuccess });
  const body = (
    <FormContext value={{ id, state, pending }}>
      <form
        ref={form}
        id={props.id}
        action={dispatch}
        onSubmit={submit}
        noValidate
        autoComplete={props.autoComplete}
        aria-label={label}
        className={clsx("grid", !/\bgap-/.test(className ?? "") && "gap-6", className)}
      >
        <HiddenInputs values={{ ...hidden, ticket: state.values?.ticket ?? hidden.ticket }} />
        {state.conflict && versions && (
          <FormConflictComparison
            ref={errors}
            versions={versions}
            state={state}
            pending={pending}
            onKeep={discard}
          />
        )}
        {!(state.conflict && versions) && <FormErrors ref={errors} autoFocus formId={id} state={state} />}
        <FormSuccess state={state} />
        {children}
      </form>
    </FormContext>
  );
  if (!dialog) return body;
  return (
    <Dialog {...dialog} open={isFormSubmissionRejected(state)} isDone={state.ok}>
      {body}
    </Dialog>
  );
}

function useFormSubmission({ action, returned = null }: Pick<Props, "action" | "returned">) {
  const t = useTranslator("ui");
  const [actionState, dispatch, pending] = useActionState(
    useActionWithNetworkErrors(action),
    returned ?? INITIAL_FORM_STATE,
  );
  // State that the person discarded in favor of the current values.
  const [discarded, setDiscarded] = useState<FormState | null>(null);
  const [tooLongState, setTooLongState] = useState<FormState | null>(null);
  const state = tooLongState ?? (actionState === discarded ? INITIAL_FORM_STATE : actionState);

  // Calls the action directly, because React would otherwise clear the form after it.
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (pending) return;
    const submitter = (event.nativeEvent as SubmitEvent).submitter;
    const data = new FormData(event.currentTarget, submitter);
    if (countFormContentBytes(data) > MAX_FORM_CONTENT_BYTES)
      return setTooLongState({ ok: false, error: t("tooLong"), values: collectRestorableFormValues(data) });
    setTooLongState(null);
    startTransition(() => dispatch(data));
  }

  return { state, pending, dispatch, submit, discarded, discard: () => setDiscarded(actionState) };
}

type FormResultState = { state: FormState; discarded: FormState | null; resetOnSuccess: boolean | undefined };

/**
 * Moves the focus to errors, and closes the form's dialog after success or when its text is discarded.
 * @returns ref for the element with the errors
 */
function useFormResult(
  form: RefObject<HTMLFormElement | null>,
  { state, discarded, resetOnSuccess = false }: FormResultState,
): RefObject<HTMLDivElement | null> {
  const errors = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isFormSubmissionRejected(state)) errors.current?.focus();
    else if (state.ok) {
      if (resetOnSuccess) form.current?.reset();
      form.current?.closest("dialog")?.close();
    }
  }, [form, state, resetOnSuccess]);
  useEffect(() => {
    if (!discarded) return;
    form.current?.reset();
    form.current?.closest("dialog")?.close();
  }, [form, discarded]);
  return errors;
}

/**
 * Wraps the action so that a network failure becomes a form error; otherwise React would replace the page,
 * with all typed text, by the error boundary. The server renders the unwrapped action, whose form works
 * without script.
 */
function useActionWithNetworkErrors(action: Props["action"]): Props["action"] {
  const t = useTranslator("ui");
  if (typeof window === "undefined") return action;
  return async (state, form) => {
    try {
      return await action(state, form);
    } catch (thrown) {
      unstable_rethrow(thrown);
      const error = t(navigator.onLine ? "noAnswer" : "offlineUnsent");
      return { ok: false, error, values: collectRestorableFormValues(form) };
    }
  };
}

type SubmitProps = Omit<ComponentProps<typeof Button>, "type" | "pending"> & {
  /** Label while the form is pending: "Sending…". */
  pendingLabel?: string;
};

/** Submits the form around it. Primary by default; `name` and `value` tell two of them apart. */
export function SubmitButton({ variant = "primary", pendingLabel, children, ...rest }: SubmitProps) {
  const { pending } = useFormContext();
  return (
    <Button type="submit" variant={variant} pending={pending} {...rest}>
      {pending ? (pendingLabel ?? children) : children}
    </Button>
  );
}

/** The buttons at the end of a form, the main one first. */
export function FormActions({ children }: { children: ReactNode }) {
  return <div className="flex flex-wrap items-center gap-3">{children}</div>;
}
