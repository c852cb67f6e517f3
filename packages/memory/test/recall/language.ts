import type { SeededRandom } from "./random.ts";

/** The frequent words of a line: who did what with which thing, and where. */
export interface Scene {
  readonly person: string;
  readonly verb: string;
  readonly thing: string;
  readonly place: string;
}

/** How notes and questions are worded in one language. `name` is a rare word that marks one subject. */
export interface Language {
  readonly scene: (random: SeededRandom) => Scene;
  readonly name: (random: SeededRandom) => string;
  /** A line with all words of a scene. */
  readonly all: (scene: Scene, detail: string) => string;
  /** Lines with a part of the words each. */
  readonly parts: readonly ((scene: Scene) => string)[];
  readonly named: (scene: Scene, name: string, detail: string) => string;
  /** A later line about the same, worded otherwise. */
  readonly namedLater: (scene: Scene, name: string, detail: string) => string;
  /** A line that shares as many words with `askNamed` as `named` does, without the name. */
  readonly unnamed: (scene: Scene) => string;
  readonly prefers: (scene: Scene, name: string, detail: string) => string;
  readonly prefersOther: (scene: Scene) => string;
  readonly detail: (random: SeededRandom) => string;
  readonly ask: (scene: Scene) => string;
  readonly askNamed: (scene: Scene, name: string) => string;
  readonly askHowOften: (scene: Scene, name: string) => string;
  readonly askPreference: (scene: Scene, name: string) => string;
  readonly askBetween: (one: Scene, other: Scene) => string;
  readonly askNow: (scene: Scene, name: string) => string;
  /** The same question as `ask` in other words. */
  readonly paraphrase: (scene: Scene) => string;
  readonly heading: (random: SeededRandom) => string;
}

const EN = {
  people: "Anna Bruno Carla Dieter Elena Farid Greta Hugo Irene Jonas Katja Lorenz Mina Nils Olga Pavel Rosa Stefan Tilda Viktor".split(
    " ",
  ),
  verbs: "repaired bought borrowed painted cleaned measured delivered inspected ordered returned sold insured".split(" "),
  things: (
    "lamp bicycle bookshelf heater camera piano printer freezer ladder carpet mirror oven tent radio sofa clock keyboard kettle projector drill " +
    "backpack telescope aquarium guitar mattress scanner stove suitcase fence washer"
  ).split(" "),
  places: "Leipzig Bergen Porto Lyon Turin Ghent Malmo Graz Cadiz Odense Krakow Utrecht Dresden Tampere Bilbao Rouen".split(" "),
  details: ["it was ready before noon", "the invoice is in the blue folder", "nothing else to do", "he will call again", "paid in cash"],
  syllables: "bra ket vol min dar sel tho rik wen fal gus hel jor lund mar nox pel quin ros tav ull var wik zen".split(" "),
  other: { repaired: "fix", bought: "purchase", borrowed: "lend", painted: "colour", cleaned: "wash", measured: "size up" } as Readonly<
    Record<string, string>
  >,
};

/** English. */
export const ENGLISH: Language = {
  scene: (random) => ({
    person: random.pick(EN.people),
    verb: random.pick(EN.verbs),
    thing: random.pick(EN.things),
    place: random.pick(EN.places),
  }),
  name: (random) => {
    const word = [0, 1, 2].map(() => random.pick(EN.syllables)).join("");
    return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
  },
  all: ({ person, verb, thing, place }, detail) => `${person} ${verb} the ${thing} in ${place}; ${detail}.`,
  parts: [
    ({ person, place }) => `${person} was in ${place} for two days.`,
    ({ verb, place }) => `Asked who ${verb} it in ${place}.`,
    ({ thing }) => `The ${thing} needs more room.`,
    ({ person, verb }) => `${person} ${verb} something else.`,
    ({ thing, place }) => `A ${thing} in ${place} would be cheaper.`,
  ],
  named: ({ person, verb, thing }, name, detail) => `${person} ${name} ${verb} the ${thing}; ${detail}.`,
  namedLater: ({ person, verb, thing }, name, detail) =>
    `Another ${thing} by now: the one that ${person} ${name} ${verb} is gone; ${detail}.`,
  unnamed: ({ person, verb, thing, place }) => `In ${place} ${person} ${verb} a ${thing} for a friend.`,
  prefers: ({ person, thing }, name, detail) => `${person} ${name} prefers a ${thing} with a ${detail}.`,
  prefersOther: ({ person, thing, place }) => `${person} prefers the ${thing} from ${place}.`,
  detail: (random) => random.pick(EN.details),
  ask: ({ person, verb, thing, place }) => `When was it that ${person} ${verb} the ${thing} in ${place}?`,
  askNamed: ({ person, verb, thing, place }, name) => `What of the ${thing} that ${person} ${name} ${verb} in ${place}?`,
  askHowOften: ({ person, verb, thing, place }, name) => `How often has ${person} ${name} ${verb} a ${thing} in ${place}?`,
  askPreference: ({ person, thing, place }, name) => `Which ${thing} is it that ${person} ${name} prefers in ${place}?`,
  askBetween: (one, other) =>
    `How long between ${one.person} ${one.verb} the ${one.thing} in ${one.place} and ${other.person} ${other.verb} the ${other.thing} in ${other.place}?`,
  askNow: ({ person, verb, thing, place }, name) => `What is it now with the ${thing} that ${person} ${name} ${verb} in ${place}?`,
  paraphrase: ({ person, verb, place }) => `Did ${person} ${EN.other[verb] ?? "handle"} some household item while over in ${place}?`,
  heading: (random) => random.pick(["Home", "Work", "Errands", "Calls"]),
};

const ZH = {
  people: "小明 阿芳 老张 大刘 小雨 阿强 老陈 小洁 阿龙 小梅 大伟 老周".split(" "),
  verbs: "修理 购买 借用 粉刷 清洗 测量 运送 检查 订购 退还".split(" "),
  things:
    "台灯 自行车 书架 暖气 相机 钢琴 打印机 冰箱 梯子 地毯 镜子 烤箱 帐篷 收音机 沙发 闹钟 键盘 水壶 投影仪 电钻 背包 望远镜 鱼缸 吉他".split(
      " ",
    ),
  places: "南京 杭州 苏州 成都 武汉 青岛 厦门 大连 昆明 西安 长沙 桂林".split(" "),
  details: ["中午之前就好了", "发票在蓝色文件夹里", "没有别的事", "他会再打电话", "付了现金"],
  family: "欧 阮 裴 霍 蒋 蓝 覃 邬 简 宫 冉 毕 滕 薛".split(" "),
  given: "澜 彦 骁 婧 筠 珩 璟 昶 悦 霖 茵 翊 琛 沅 煜 菡 翎 岚".split(" "),
  other: { 修理: "弄好", 购买: "买下", 借用: "拿走", 粉刷: "上色", 清洗: "洗净", 测量: "量尺寸" } as Readonly<Record<string, string>>,
};

/** Chinese. */
export const CHINESE: Language = {
  scene: (random) => ({
    person: random.pick(ZH.people),
    verb: random.pick(ZH.verbs),
    thing: random.pick(ZH.things),
    place: random.pick(ZH.places),
  }),
  name: (random) => random.pick(ZH.family) + random.pick(ZH.given) + random.pick(ZH.given),
  all: ({ person, verb, thing, place }, detail) => `${person}在${place}${verb}${thing}，${detail}。`,
  parts: [
    ({ person, place }) => `${person}在${place}住了两天。`,
    ({ verb, place }) => `问了谁在${place}${verb}。`,
    ({ thing }) => `${thing}要更大的地方。`,
    ({ person, verb }) => `${person}${verb}了别的东西。`,
    ({ thing, place }) => `${place}的${thing}更便宜。`,
  ],
  named: ({ verb, thing }, name, detail) => `${name}${verb}${thing}，${detail}。`,
  namedLater: ({ verb, thing }, name, detail) => `换了：${name}现在不${verb}${thing}了，${detail}。`,
  unnamed: ({ person, verb, thing, place }) => `${person}在${place}，${verb}${thing}送朋友。`,
  prefers: ({ thing }, name, detail) => `${name}喜欢${thing}，${detail}。`,
  prefersOther: ({ person, thing, place }) => `${person}在${place}，喜欢${thing}。`,
  detail: (random) => random.pick(ZH.details),
  ask: ({ person, verb, thing, place }) => `${person}在${place}${verb}${thing}是什么时候？`,
  askNamed: ({ person, verb, thing, place }, name) => `${person}在${place}，${name}${verb}${thing}怎么样？`,
  askHowOften: ({ person, verb, thing, place }, name) => `${person}在${place}，${name}${verb}${thing}有几次？`,
  askPreference: ({ person, thing, place }, name) => `${person}在${place}，${name}喜欢${thing}吗？`,
  askBetween: (one, other) =>
    `${one.person}在${one.place}${one.verb}${one.thing}和${other.person}在${other.place}${other.verb}${other.thing}隔了多久？`,
  askNow: ({ person, verb, thing, place }, name) => `${person}在${place}，${name}${verb}${thing}现在怎么样？`,
  paraphrase: ({ person, verb, place }) => `${person}到${place}那次${ZH.other[verb] ?? "处理"}过哪样家当？`,
  heading: (random) => random.pick(["家里", "工作", "杂事", "电话"]),
};
