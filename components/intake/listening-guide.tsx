import { useTranslator } from "#i18n";
import { Card } from "#components/ui/card.tsx";
import { Icon, type IconName } from "#components/ui/icon.tsx";

/** A few dos and don'ts for taking a report from somebody. */
export function ReportTakingAdviceCard() {
  const t = useTranslator("intake");
  return (
    <Card title={t("script.title")}>
      <div className="grid gap-4 sm:max-[56rem]:grid-cols-2">
        <ScriptList
          title={t("script.do")}
          icon="check"
          iconClass="text-positive"
          items={[t("script.do1"), t("script.do2"), t("script.do3")]}
        />
        <ScriptList
          title={t("script.dont")}
          icon="x"
          iconClass="text-danger"
          items={[t("script.dont1"), t("script.dont2"), t("script.dont3")]}
        />
      </div>
    </Card>
  );
}

type ListProps = { title: string; icon: IconName; iconClass: string; items: readonly string[] };

function ScriptList({ title, icon, iconClass, items }: ListProps) {
  return (
    <div className="grid content-start gap-2">
      <h3 className="font-[650]">{title}</h3>
      <ul className="grid gap-2">
        {items.map((item) => (
          <li key={item} className="flex gap-2">
            <Icon as={icon} className={`mt-0.5 ${iconClass}`} />
            <span className="min-w-0">{item}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
