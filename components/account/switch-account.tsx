import { Button } from "#components/ui/button.tsx";
import { switchAccountAction } from "./actions.ts";

/** Signs out, and comes back to `next` with another account. Needs no script. */
export function SwitchAccount({ next }: { next: string }) {
  return (
    <form action={switchAccountAction}>
      <input type="hidden" name="next" value={next} />
      <Button type="submit">Sign in with another account</Button>
    </form>
  );
}
