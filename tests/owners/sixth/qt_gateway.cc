// A gateway between rooms of a chat and a service that answers; each request has an object for its answer.
#include <QByteArray>
#include <QCoreApplication>
#include <QDateTime>
#include <QHash>
#include <QObject>
#include <QStringList>
#include <QTimer>
#include <QVariantMap>
#include <cstdio>
#include <functional>

class Answer : public QObject {
public:
    Answer(const QVariantMap& headers, QObject* parent) : QObject(parent), headers_(headers) {}
    void setBody(const QByteArray& body) { body_ = body; }
    QByteArray body() const { return body_; }
    QString header(const QString& name) const { return headers_.value(name).toString(); }

private:
    QVariantMap headers_;
    QByteArray body_;
};

class Service : public QObject {
public:
    using QObject::QObject;

    Answer* get(const QString& path) { return send(QStringLiteral("GET"), path, {}); }
    Answer* post(const QString& path, const QByteArray& body) { return send(QStringLiteral("POST"), path, body); }

    bool ping() {
        Answer probe({}, nullptr);
        probe.setBody(QByteArray(200, 'p'));
        return probe.body().size() == 200;
    }

private:
    // The service is the parent of its answers; it lives as long as the program.
    Answer* send(const QString& method, const QString& path, const QByteArray& body) {
        QVariantMap headers;
        headers.insert(QStringLiteral("path"), path);
        headers.insert(QStringLiteral("method"), method);
        auto* answer = new Answer(headers, this);  // guilty
        answer->setBody("{\"answer\": \"" + body.toBase64() + "\", \"of\": \"" + path.toUtf8() + "\"}");
        return answer;
    }
};

class Room : public QObject {
public:
    Room(Service& service, const QString& name, QObject* parent) : QObject(parent), service_(service) { setObjectName(name); }

    void say(const QString& text) {
        recent_.append(text);
        while (recent_.size() > 30) recent_.removeFirst();
        if (text.startsWith(QLatin1Char('!')))
            bytes_ += service_.post("/rooms/" + objectName(), text.toUtf8())->body().size();
        else if (recent_.size() % 10 == 0)
            bytes_ += service_.get("/topics/" + text.section(QLatin1Char(' '), 0, 0))->body().size();
    }
    qint64 bytes() const { return bytes_; }

private:
    Service& service_;
    QStringList recent_;
    qint64 bytes_ = 0;
};

class Gateway : public QObject {
public:
    explicit Gateway(Service& service) : service_(service) {
        for (int i = 0; i < 20; ++i) rooms_.insert(i, new Room(service_, QStringLiteral("room-%1").arg(i), this));
    }
    void receive(int i) {
        const QString text = QStringLiteral("%1 what is there to know of the number %2 today?").arg(i % 3 ? "!ask" : "well,").arg(i);
        rooms_.value(i % 20)->say(text);
        if (i % 1000 == 0) service_.ping();
    }
    qint64 bytes() const {
        qint64 n = 0;
        for (const Room* r : rooms_) n += r->bytes();
        return n;
    }

private:
    Service& service_;
    QHash<int, Room*> rooms_;
};

int main(int argc, char** argv) {
    QCoreApplication app(argc, argv);
    auto* service = new Service;
    Gateway gateway(*service);
    int sent = 0;
    QTimer timer;
    QObject::connect(&timer, &QTimer::timeout, [&] {
        for (int k = 0; k < 5000; ++k) gateway.receive(sent++);
        if (sent < 60000) return;
        std::printf("%lld bytes\n", static_cast<long long>(gateway.bytes()));
        app.quit();
    });
    timer.start(0);
    return app.exec();
}
