"use client";

import clsx from "clsx";
import { unstable_rethrow as rethrowOfRouter } from "next/navigation";
import {
  type ComponentProps,
  type FormEvent,
  type ReactNode,
  startTransition,
  useActionState,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { countFormBytes, MAX_FORM_BYTES } from "#lib/design/form-size.ts";
import { type FormState, isRefused, collectFormValues, INITIAL_FORM_STATE } from "#lib/design/form-state.ts";
import { useTranslator } from "#words";
import { Button } from "./button.tsx";
import { Dialog, type DialogTriggerProps } from "./dialog.tsx";
import { FormContext, useForm } from "./form-context.ts";
import { FormErrors } from "./form-errors.tsx";
import { Notice } from "./notice.tsx";
import { VersionComparison, type FormVersions } from "./versions.tsx";

type Props = {
  /** A server action. What it must know besides the fields goes into `hidden`, never into `.bind`. */
  action: (state: FormState, form: FormData) => Promise<FormState>;
  /** Hidden inputs by name; null and undefined are left out. */
  hidden?: Record<string, string | null | undefined>;
  /** What it comes back with after sign-in: words that waited for their writer. */
  returned?: FormState | null;
  /** Empties the fields after success, where the page stays as it is. */
  resetOnSuccess?: boolean;
  /** Names the form for those who jump from region to region. */
  label?: string;
  /** Puts the form behind a button. It stays open while it was refused, without script, too. */
  dialog?: DialogTriggerProps;
  /** What stands beside the sent words when somebody else was faster. */
  versions?: FormVersions;
  /** By which a button elsewhere in the page belongs to it. */
  id?: string;
  className?: string;
  children: ReactNode;
};

/**
 * A form over a server action. Without script it is posted and comes back with its errors and its words; with
 * script nothing is lost either, chosen files included, a second press does nothing while the first is under
 * way, and the focus goes to the errors.
 */
export function Form({
  action,
  hidden = {},
  returned = null,
  resetOnSuccess = false,
  label,
  dialog,
  versions,
  id: domId,
  className,
  children,
}: Props) {
  const t = useTranslator("ui");
  const [actionState, dispatch, pending] = useActionState(
    useActionWithNetworkErrors(action),
    returned ?? INITIAL_FORM_STATE,
  );
  // The answer that was let go of, in favour of what somebody else wrote.
  const [discardedState, setDiscardedState] = useState<FormState | null>(null);
  const [tooLongState, setTooLongState] = useState<FormState | null>(null);
  const state = tooLongState ?? (actionState === discardedState ? INITIAL_FORM_STATE : actionState);
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const errors = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (isRefused(state)) errors.current?.focus();
    else if (state.ok) {
      if (resetOnSuccess) form.current?.reset();
      form.current?.closest("dialog")?.close();
    }
  }, [state, resetOnSuccess]);

  useEffect(() => {
    if (!discardedState) return;
    form.current?.reset();
    form.current?.closest("dialog")?.close();
  }, [discardedState]);

  // Dispatching by hand keeps React from emptying the form after the action, as it does by itself.
  function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (pending) return;
    const submitter = (event.nativeEvent as SubmitEvent).submitter;
    const data = new FormData(event.currentTarget, submitter);
    if (countFormBytes(data) > MAX_FORM_BYTES)
      return setTooLongState({ ok: false, error: t("tooLong"), values: collectFormValues(data) });
    setTooLongState(null);
    startTransition(() => dispatch(data));
  }

  const body = (
    <FormContext value={{ id, state, pending }}>
      <form
        ref={form}
        id={domId}
        action={dispatch}
        onSubmit={send}
        noValidate
        aria-label={label}
        className={clsx("grid", !/\bgap-/.test(className ?? "") && "gap-6", className)}
      >
        {Object.entries(hidden).map(([name, value]) =>
          value === null || value === undefined ? null : (
            <input key={name} type="hidden" name={name} value={value} />
          ),
        )}
        {state.conflict && versions && (
          <VersionComparison
            ref={errors}
            versions={versions}
            state={state}
            pending={pending}
            onKeep={() => setDiscardedState(actionState)}
          />
        )}
        {!(state.conflict && versions) && <FormErrors ref={errors} autoFocus formId={id} state={state} />}
        {state.ok && state.message && (
          <Notice kind="success" live>
            <p>{state.message}</p>
          </Notice>
        )}
        {children}
      </form>
    </FormContext>
  );
  if (!dialog) return body;
  return (
    <Dialog {...dialog} open={isRefused(state)}>
      {body}
    </Dialog>
  );
}

/**
 * The same action, to which no answer is an answer, too: without it the page would be taken for broken, and all that
 * was typed with it. The server gets the action itself, which makes a form of it that works without script.
 */
function useActionWithNetworkErrors(action: Props["action"]): Props["action"] {
  const t = useTranslator("ui");
  if (typeof window === "undefined") return action;
  return async (state, form) => {
    try {
      return await action(state, form);
    } catch (thrown) {
      rethrowOfRouter(thrown);
      const error = t(navigator.onLine ? "noAnswer" : "offlineUnsent");
      return { ok: false, error, values: collectFormValues(form) };
    }
  };
}

type SubmitProps = Omit<ComponentProps<typeof Button>, "type" | "pending"> & {
  /** Said while the form is under way: "Sending…". */
  pendingLabel?: string;
};

/** Sends the form around it. Primary unless told otherwise; `name` and `value` tell two of them apart. */
export function SubmitButton({ variant = "primary", pendingLabel, children, ...rest }: SubmitProps) {
  const { pending } = useForm();
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
