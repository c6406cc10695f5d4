import { useTranslator } from "#i18n";
import { buildButtonClass } from "#components/ui/button-class.ts";
import { switchAccountAction } from "./actions.ts";

/** Signs out and returns to `next` with another account. Works without script. */
export function SwitchAccountForm({ next }: { next: string }) {
  const t = useTranslator("shell");
  return (
    <form action={switchAccountAction}>
      <input type="hidden" name="next" value={next} />
      <button type="submit" className={buildButtonClass()}>
        {t("otherAccount")}
      </button>
    </form>
  );
}
