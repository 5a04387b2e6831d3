// The model of a reader of news: articles, what is unread, and words to look for.
#include <QCoreApplication>
#include <QDateTime>
#include <QDebug>
#include <QHash>
#include <QObject>
#include <QSharedPointer>
#include <QStringList>
#include <QTimer>
#include <QVector>

#include <functional>

struct Article
{
    QString title;
    QString body;
    int feed = 0;
    bool read = false;
};
typedef QSharedPointer<Article> ArticlePtr;

class Fetcher
{
public:
    typedef std::function<void(const ArticlePtr &)> Callback;

    void onArticle(const Callback &callback) { m_callbacks.append(callback); }

    void fetch(int feed)
    {
        for (int i = 0; i < 10; ++i) {
            ArticlePtr article = ArticlePtr::create();
            article->feed = feed;
            article->title = QStringLiteral("News %1 of feed %2").arg(m_number++).arg(feed);
            article->body = QStringLiteral("<p>%1</p><p>Something happened in town %2, says reporter %3.</p>").arg(article->title).arg(m_number % 211).arg(feed);
            for (const Callback &callback : m_callbacks)
                callback(article);
        }
    }

private:
    QVector<Callback> m_callbacks;
    int m_number = 0;
};

class UnreadModel
{
public:
    void add(const ArticlePtr &article)
    {
        m_articles.append(article);
        m_perFeed[article->feed]++;
        while (m_articles.size() > 300)
            m_perFeed[m_articles.takeFirst()->feed]--;
    }
    int count() const { return m_articles.size(); }

private:
    QList<ArticlePtr> m_articles;
    QHash<int, int> m_perFeed;
};

class Highlighter
{
public:
    explicit Highlighter(const QStringList &words) : m_words(words) {}

    // For the list, in which articles are shown with their words in bold. It is asked for again for each that is seen.
    QString rich(const ArticlePtr &article)
    {
        const QString key = article->title + article->body;
        QHash<QString, QString>::const_iterator at = m_done.constFind(key);
        if (at != m_done.constEnd())
            return at.value();
        QString text = article->body;
        for (const QString &word : m_words)
            text.replace(word, QStringLiteral("<b>") + word + QStringLiteral("</b>"));
        m_done.insert(key, text.toHtmlEscaped()); // guilty
        return text;
    }

private:
    QStringList m_words;
    QHash<QString, QString> m_done;
};

int main(int argc, char **argv)
{
    QCoreApplication app(argc, argv);
    Fetcher fetcher;
    UnreadModel unread;
    Highlighter highlighter(QStringList() << QStringLiteral("town") << QStringLiteral("reporter") << QStringLiteral("News"));
    qint64 shown = 0;
    int rounds = 0;

    fetcher.onArticle([&](const ArticlePtr &article) { unread.add(article); });
    fetcher.onArticle([&](const ArticlePtr &article) { shown += highlighter.rich(article).size(); });

    QTimer timer;
    QObject::connect(&timer, &QTimer::timeout, &app, [&] {
        for (int feed = 0; feed < 40; ++feed)
            fetcher.fetch(feed);
        if (++rounds == 90)
            app.quit();
    });
    timer.start(0);
    const int code = app.exec();
    qDebug() << shown << "characters" << unread.count() << "unread";
    return code;
}
