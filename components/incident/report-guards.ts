import { type RefObject, useEffect, useLayoutEffect, useState } from "react";
import {
  fetchSignedInUserId,
  subscribeToSignedInAccount,
  SIGNED_OUT_ACCOUNT_ID,
} from "#components/shell/signed-in-account.ts";
import { isPageLeavingLinkClick } from "#components/ui/page-leaving-click.ts";
import { deleteDraftsOfTab } from "./traces.ts";

/** Protects the text of a report while it is being written. */

/**
 * Returns whether to hide the text, since the writer has signed out in another tab, or somebody else has signed in
 * there: another person may be using the browser. It is hidden until the writer is signed in again, and no longer kept
 * in the tab. An expired session hides nothing, and a report without an account is never hidden.
 */
export function useIsTextHiddenAfterSignOut(writer: string | null): boolean {
  const [covered, setCovered] = useState(false);
  useEffect(() => void (covered && deleteDraftsOfTab()), [covered]);
  useEffect(() => {
    if (writer === null) return;
    let newest = 0;
    const checkSession = async () => {
      const check = (newest += 1);
      const id = await fetchSignedInUserId();
      // A later check, or a sign-out, counts.
      if (check !== newest) return;
      if (id === writer) setCovered(false);
      else if (id) setCovered(true);
    };
    const end = subscribeToSignedInAccount((account) => {
      if (account !== SIGNED_OUT_ACCOUNT_ID) return void checkSession();
      newest += 1;
      setCovered(true);
    });
    const onVisibilityChange = () => void (document.hidden || checkSession());
    document.addEventListener("visibilitychange", onVisibilityChange);
    return () => {
      document.removeEventListener("visibilitychange", onVisibilityChange);
      end();
    };
  }, [writer]);
  return covered;
}

/**
 * Calls `leave` before another form of the page (the language choice) is submitted, since that reloads the page. In a
 * layout effect, which lets no press come between script's taking the page over and the guard.
 * @param leave returns false to stay on the page
 */
export function useOtherFormSubmitGuard(form: RefObject<HTMLFormElement | null>, leave: () => boolean): void {
  useLayoutEffect(() => {
    const guard = (event: SubmitEvent) => {
      if (event.target !== form.current && !leave()) event.preventDefault();
    };
    document.addEventListener("submit", guard);
    return () => document.removeEventListener("submit", guard);
  });
}

/**
 * Asks before a link next to the form discards the text. Closing, reloading and going back don't ask, so that nothing
 * delays a person who must hide the page at once (docs/decisions/023).
 * @param leave returns false to stay on the page
 */
export function useOutgoingLinkGuard(leave: () => boolean): void {
  useEffect(() => {
    const guard = (event: MouseEvent) => {
      if (isPageLeavingLinkClick(event) && !leave()) event.preventDefault();
    };
    document.addEventListener("click", guard);
    return () => document.removeEventListener("click", guard);
  });
}

/**
 * Returns whether somebody has begun to use a form: a field has the focus, or isn't as the server sent it.
 */
export const isFormInUse = (form: HTMLFormElement): boolean =>
  [...form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>(FIELDS)].some(
    (field) => field === document.activeElement || isFieldChanged(field),
  );

const FIELDS = "textarea, select, input:not([type=hidden])";

function isFieldChanged(field: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement): boolean {
  if (field instanceof HTMLSelectElement)
    return [...field.options].some(
      ({ selected, defaultSelected }, at) => selected && !defaultSelected && at > 0,
    );
  if (field instanceof HTMLInputElement && /^(checkbox|radio)$/.test(field.type))
    return field.checked !== field.defaultChecked;
  return field.value !== field.defaultValue;
}
