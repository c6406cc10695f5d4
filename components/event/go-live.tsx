import { useTranslator } from "#i18n";
import { IconWithoutScript } from "#components/ui/icon-without-script.tsx";
import { circleCheckIcon, circleDashedIcon } from "#lib/design/icons.ts";
import type { GoLiveStep } from "#lib/events/go-live.ts";

type Step = { step: GoLiveStep; done: boolean };

/** Where each step is done, below the event's path. */
const STEP_PATHS: Record<GoLiveStep, string> = {
  team: "team",
  reporting: "report",
  contact: "settings",
  conduct: "settings#conduct",
  poster: "invites/poster",
};

/** The steps that an event still needs before it is announced, for its Admins. */
export function GoLiveChecklist({ slug, steps }: { slug: string; steps: readonly Step[] }) {
  const t = useTranslator("visitor");
  return (
    <section
      aria-labelledby="go-live"
      className="grid gap-3 rounded-surface border border-line bg-surface p-4 sm:p-6"
    >
      <h2 id="go-live" className="text-xl">
        {t("goLive")}
      </h2>
      <p className="max-w-[60ch] text-muted">{t("goLiveAbout")}</p>
      <ul className="grid gap-3">
        {steps.map(({ step, done }) => (
          <li key={step} className="flex gap-3">
            <IconWithoutScript
              of={done ? circleCheckIcon : circleDashedIcon}
              size={24}
              className={`mt-2.5 ${done ? "text-positive" : "text-muted"}`}
            />
            <div className="grid min-w-0">
              <a
                href={`/e/${slug}/${STEP_PATHS[step]}`}
                className="text-link inline-flex min-h-11 items-center"
              >
                {t(`goLive.${step}`)}
              </a>
              <p className="text-sm text-muted">
                <span className="font-[650] text-ink">{t(done ? "goLive.done" : "goLive.open")}</span>{" "}
                {!done && t(`goLive.${step}Why`)}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
